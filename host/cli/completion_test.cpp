#include "cli/completion.h"

#include "base/file.h"
#include "cli/verb.h"

#include <cstdlib>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

/// Completions of bash for the word at `index`.
std::string completions(const std::string& words, int index,
                        const std::vector<OfferedType>& types = {}) {
  const auto script = test_directory() / "completion";
  EXPECT_TRUE(write_file_atomically(script, completion_script("bash", types)));
  const std::string command = "bash -c 'source " + script.string() + "; COMP_WORDS=(" + words +
                              "); COMP_CWORD=" + std::to_string(index) +
                              "; _quarry; echo \"${COMPREPLY[@]}\"'";
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  ::pclose(pipe);
  return out;
}

TEST(Completion, OffersVerbsSubverbsAndOptionsInBash) {
  EXPECT_EQ(completions("quarry re", 1), "remove resources read restore\n");
  EXPECT_EQ(completions("quarry plugins li", 2), "list\n");
  EXPECT_EQ(completions("quarry threads sh", 2), "show\n");
  EXPECT_EQ(completions("quarry ask --res", 2), "--resource\n");
  EXPECT_EQ(completions("quarry models u", 2), "use\n");
  EXPECT_EQ(completions("quarry models use --op", 3), "--option\n");
  EXPECT_EQ(completions("quarry projects secret re", 3), "remove\n");
  EXPECT_EQ(completions("quarry projects secret set --e", 4), "--env\n");
  EXPECT_EQ(completions("quarry models --json --ser", 3), "--server\n");
}

/// A type of resource as a manifest may describe it, with a summary that a shell could run.
OfferedType walk() {
  return {"walk", "It's a \\ 'walk'; touch x",
          *parse_json(R"json({"properties": {"backAgain": {"type": "boolean"}, "place": {},
                              "$(touch x)": {}, "key": {"writeOnly": true}}})json")};
}

TEST(Completion, OffersTypesOfResourcesAndTheirFields) {
  EXPECT_EQ(completions("quarry add w", 2, {walk()}), "walk\n");
  EXPECT_EQ(completions("quarry add walk --pl", 3, {walk()}), "--place\n");
  EXPECT_EQ(completions("quarry add walk --no", 3, {walk()}), "--no-back-again\n");
  EXPECT_EQ(completions("quarry add walk --typ", 3, {walk()}), "\n");
  EXPECT_EQ(completions("quarry add --typ", 2, {walk()}), "--type\n");
}

TEST(Completion, TextsOfPluginsAreWordsOfFish) {
  const std::string script = completion_script("fish", {walk()});
  EXPECT_THAT(script, HasSubstr(R"(-a walk -d 'It\'s a \\ \'walk\'; touch x')"
                                "\n"));
  EXPECT_THAT(script, ::testing::Not(HasSubstr("$(touch")));
}

TEST(Completion, NamesEveryVerbForEveryShell) {
  CommonOptions common;
  for (const Verb& verb : all_verbs(common)) {
    const std::string last = verb.name.substr(verb.name.rfind(' ') + 1);
    for (const char* shell : {"bash", "zsh", "fish"}) {
      EXPECT_THAT(completion_script(shell), HasSubstr(last)) << shell;
    }
  }
}

}  // namespace
}  // namespace quarry::cli
