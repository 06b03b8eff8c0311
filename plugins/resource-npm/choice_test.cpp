#include "resource-npm/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A packument of these versions; "!1.0.0" is deprecated.
Packument of(const std::vector<std::string>& versions,
             std::map<std::string, std::string, std::less<>> tags = {}) {
  Packument out;
  out.name = "pkg";
  out.tags = std::move(tags);
  for (const std::string& version : versions) {
    const bool deprecated = version.starts_with('!');
    out.releases[version.substr(deprecated ? 1 : 0)] = {"t", "", deprecated ? "old" : ""};
  }
  return out;
}

std::string chosen(const Packument& packument, std::string_view wanted) {
  const auto version = choose(packument, *Wanted::parse(wanted));
  return version ? *version : version.failure().message + " | " + version.failure().hint;
}

TEST(Choice, OfAVersionOrATagIsThatOne) {
  const auto packument = of({"1.0.0", "!2.0.0"}, {{"latest", "1.0.0"}, {"next", "2.0.0"}});
  EXPECT_EQ(chosen(packument, "1.0.0"), "1.0.0");
  EXPECT_EQ(chosen(packument, "2.0.0"), "2.0.0");
  EXPECT_EQ(chosen(packument, "latest"), "1.0.0");
  EXPECT_EQ(chosen(packument, "next"), "2.0.0");
}

TEST(Choice, OfARangeIsTheLatestInsideElseTheHighest) {
  const auto packument = of({"1.0.0", "1.2.0", "1.10.0", "2.0.0"}, {{"latest", "1.2.0"}});
  EXPECT_EQ(chosen(packument, "^1"), "1.2.0");
  EXPECT_EQ(chosen(packument, "*"), "1.2.0");
  EXPECT_EQ(chosen(packument, ">1.2"), "2.0.0");
  EXPECT_EQ(chosen(packument, "~1.10"), "1.10.0");
  EXPECT_EQ(chosen(of({"1.0.0", "1.1.0"}), "^1"), "1.1.0");
}

TEST(Choice, PassesDeprecatedVersionsByWhileThereAreOthers) {
  EXPECT_EQ(chosen(of({"1.0.0", "!1.1.0", "!1.2.0"}, {{"latest", "1.2.0"}}), "^1"), "1.0.0");
  EXPECT_EQ(chosen(of({"!1.0.0", "!1.1.0"}), "^1"), "1.1.0");
}

TEST(Choice, OfEveryVersionMayBeAPrereleaseThatIsTagged) {
  EXPECT_EQ(chosen(of({"1.0.0-rc.1"}, {{"latest", "1.0.0-rc.1"}}), "*"), "1.0.0-rc.1");
  EXPECT_THAT(chosen(of({"1.0.0-rc.1"}, {{"latest", "1.0.0-rc.1"}}), "^1"),
              HasSubstr("The nearest versions are 1.0.0-rc.1"));
}

TEST(Choice, ThatFailsListsTheNearestVersionsAndTheTags) {
  const auto packument =
      of({"1.0.0", "1.1.0", "1.2.0", "!1.2.5", "1.3.0-beta", "2.0.0", "3.0.0", "4.0.0", "5.0.0"},
         {{"latest", "5.0.0"}, {"beta", "1.3.0-beta"}});
  EXPECT_EQ(chosen(packument, "1.2.5-x"),
            "pkg has no version 1.2.5-x | The nearest versions are 1.1.0, 1.2.0, 1.3.0-beta, 2.0.0 "
            "and 3.0.0. Tagged: latest = 5.0.0 and beta = 1.3.0-beta.");
  EXPECT_THAT(chosen(packument, "1.2.7"), AllOf(HasSubstr("1.1.0, 1.2.0, 2.0.0"),
                                                Not(HasSubstr("1.2.5")), Not(HasSubstr("beta,"))));
  EXPECT_THAT(chosen(packument, "^9"), AllOf(HasSubstr("no version in the range ^9"),
                                             HasSubstr("1.2.0, 2.0.0, 3.0.0, 4.0.0 and 5.0.0")));
  EXPECT_THAT(chosen(packument, "~0.1"), HasSubstr("1.0.0, 1.1.0, 1.2.0, 2.0.0 and 3.0.0"));
  EXPECT_THAT(chosen(packument, "nightly"), HasSubstr("has no dist-tag nightly"));
}

TEST(Choice, HasSomethingToSayOfPackagesThatAreGone) {
  EXPECT_THAT(chosen(of({}), "1.0.0"), HasSubstr("no versions at all"));
  EXPECT_THAT(chosen(of({"1.0.0"}, {{"latest", "2.0.0"}}), "latest"),
              AllOf(HasSubstr("tagged latest at 2.0.0"), HasSubstr("1.0.0")));
  EXPECT_EQ(choose(of({}), *Wanted::parse("1.0.0")).failure().status, QUARRY_NOT_FOUND);
}

TEST(Choice, LeavesOutWhatIsNoVersion) {
  EXPECT_EQ(chosen(of({"1.0.0", "nonsense", "0.9.0rc1"}), "*"), "1.0.0");
}

TEST(Choice, SumsUpManyTags) {
  std::map<std::string, std::string, std::less<>> tags;
  for (char c = 'a'; c <= 'z'; ++c) tags[std::string(1, c)] = "1.0.0";
  EXPECT_THAT(chosen(of({"1.0.0"}, tags), "2.0.0"), HasSubstr(" and 16 more."));
}

}  // namespace
}  // namespace quarry::resource_npm
