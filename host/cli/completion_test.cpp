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
std::string completions(const std::string& words, int index) {
  const auto script = test_directory() / "completion";
  EXPECT_TRUE(write_file_atomically(script, completion_script("bash")));
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
  EXPECT_EQ(completions("quarry re", 1), "remove resources\n");
  EXPECT_EQ(completions("quarry plugins li", 2), "list\n");
  EXPECT_EQ(completions("quarry threads sh", 2), "show\n");
  EXPECT_EQ(completions("quarry ask --res", 2), "--resource\n");
  EXPECT_EQ(completions("quarry models u", 2), "use\n");
  EXPECT_EQ(completions("quarry models use --op", 3), "--option\n");
  EXPECT_EQ(completions("quarry projects secret re", 3), "remove\n");
  EXPECT_EQ(completions("quarry projects secret set --e", 4), "--env\n");
  EXPECT_EQ(completions("quarry models --json --ser", 3), "--server\n");
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
