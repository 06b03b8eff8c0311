#include "conformance/checks.h"
#include "conformance/command.h"
#include "conformance/conformance.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report report() {
  return {.path = "/a/plugin.toml",
          .seed = 3,
          .checks = {{.check = {"one", "load", "it is one"}, .outcome = Outcome::kPass},
                     {.check = {"two", "load", "it is two"},
                      .outcome = Outcome::kCrash,
                      .message = "<\"&\x1b[31m\nnext",
                      .hint = "do it"},
                     {.check = {"three", "model", "it is three"}, .applies = false}}};
}

TEST(Report, IsTextThatIsSafeForATerminal) {
  const auto text = report().text();
  EXPECT_TRUE(text.starts_with("CRASH  two: it is two\n")) << text;
  EXPECT_THAT(text, HasSubstr("\n      next\n      do it\n1 passed, 1 crashed\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("three")));
}

TEST(Report, NamesEveryCheckOnceNoneFailed) {
  auto passed = report();
  passed.checks.erase(passed.checks.begin() + 1);
  EXPECT_EQ(passed.text(), "pass  one: it is one\n1 passed\n");
}

TEST(Report, IsJson) {
  const Json json = *parse_json(report().json());
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["checks"].size(), 3u);
  EXPECT_EQ(json["checks"][1]["outcome"], "crash");
  EXPECT_EQ(json["checks"][1]["hint"], "do it");
  EXPECT_EQ(json["checks"][2]["outcome"], "skip");
}

TEST(Report, IsAJunitSuite) {
  const auto xml = report().junit();
  EXPECT_THAT(xml, HasSubstr(R"(tests="3" failures="0" errors="1" skipped="1")"));
  EXPECT_THAT(xml, HasSubstr(R"(<error type="crash" message="&lt;&quot;&amp;)"));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
}

TEST(Report, PassesWithWarningsAndSkippedChecks) {
  auto some = report();
  some.checks[1].outcome = Outcome::kWarn;
  EXPECT_TRUE(some.passed());
  for (const auto outcome : {Outcome::kFail, Outcome::kCrash, Outcome::kTimeout}) {
    some.checks[1].outcome = outcome;
    EXPECT_FALSE(some.passed());
  }
}

TEST(CheckList, HasStableNamesThatOccurOnce) {
  std::set<std::string_view> names;
  for (const auto& check : all_checks()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_EQ(check.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string_view::npos);
    EXPECT_FALSE(check.sentence.empty() || check.group.empty());
  }
}

TEST(CheckList, IsOrderedSoThatStagesFollowEachOther) {
  std::set<int> stages;
  for (const auto& check : dynamic_checks()) stages.insert(check.stage);
  EXPECT_EQ(*stages.rbegin(), static_cast<int>(stages.size()) - 1);
}

TEST(Command, NamesTheOptionThatIsWrong) {
  const auto message = [](Command command) {
    command.plugin = "x";
    const auto options = options_of(command);
    return options ? "accepted" : options.error().message + "; " + options.error().hint;
  };
  EXPECT_EQ(message({.plugin = "", .seed = "7", .limit = "100", .memory = "64"}), "accepted");
  EXPECT_THAT(message({.plugin = "", .seed = "-1"}), HasSubstr("--seed is \"-1\""));
  EXPECT_THAT(message({.plugin = "", .limit = "10s"}), HasSubstr("--limit is \"10s\""));
  EXPECT_THAT(message({.plugin = "", .memory = "0"}), HasSubstr("from 1 to 1048576"));
  EXPECT_THAT(message({.plugin = "", .resource = "[]"}), HasSubstr("is not a JSON object"));
  EXPECT_THAT(message({.plugin = "", .configuration = "/none"}), HasSubstr("--configuration: "));
}

TEST(Conformance, RefusesAnUnknownCheckBeforeItRunsAnything) {
  const auto ran = run(Options{.path = "/none", .load = {}, .checks = {"umask-unchange"}});
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().hint, HasSubstr("umask-unchanged"));
}

}  // namespace
}  // namespace quarry::conformance
