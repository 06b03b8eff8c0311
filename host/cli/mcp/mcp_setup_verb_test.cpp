#include "base/file.h"
#include "cli/run.h"

#include <filesystem>
#include <quarry_test.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Exit code and output of "quarry mcp setup".
struct Outcome {
  int exit_code;
  std::string out, error;
};

Outcome set_up(std::vector<std::string> words) {
  words.insert(words.begin(), {"quarry", "mcp", "setup"});
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int exit_code = run(static_cast<int>(pointers.size()), pointers.data());
  std::string out = ::testing::internal::GetCapturedStdout();
  return {exit_code, std::move(out), ::testing::internal::GetCapturedStderr()};
}

class McpSetupVerb : public ::testing::Test {
 protected:
  const fs::path file_ = test_directory() / "sub/client.json";
};

TEST_F(McpSetupVerb, ShowsTheChangeAndWritesNothing) {
  const Outcome shown = set_up({"cursor", "--file", file_.string()});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out, HasSubstr("+    \"quarry\": {"));
  EXPECT_THAT(shown.error, HasSubstr("Nothing was written"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(McpSetupVerb, WritesAFileThatWasMissingAndFindsItCompleteAfterwards) {
  const Outcome written = set_up({"cursor", "--file", file_.string(), "--write"});
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_THAT(written.error, HasSubstr("Written. Start Cursor again"));
  const auto text = read_file(file_);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("\"mcpServers\""));

  const Outcome again = set_up({"cursor", "--file", file_.string(), "--write"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, IsEmpty());
  EXPECT_THAT(again.error, HasSubstr("has it already"));
  EXPECT_EQ(read_file(file_).value(), *text);
}

TEST_F(McpSetupVerb, AFileThatCannotBeReadIsNoMissingFile) {
  fs::create_directories(file_);
  const Outcome refused = set_up({"cursor", "--file", file_.string(), "--write"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.error, StartsWith("error: "));
  EXPECT_THAT(refused.error, HasSubstr(file_.string()));
  EXPECT_TRUE(fs::is_empty(file_));
  EXPECT_NE(set_up({"cursor", "--file", file_.string()}).exit_code, 0) << "nothing to show";
}

TEST_F(McpSetupVerb, OptionsThatAClientWouldMisreadAreRefused) {
  const std::string file = file_.string();
  EXPECT_THAT(set_up({"cursor", "--file", file, "--name", "a b"}).error, HasSubstr("--name"));
  EXPECT_THAT(set_up({"cursor", "--file", file, "--url", "q.example"}).error, HasSubstr("--url"));
  EXPECT_THAT(
      set_up({"cursor", "--file", file, "--url", "https://q.example", "--token-env", "q$"}).error,
      HasSubstr("--token-env"));
  EXPECT_THAT(set_up({"windsurf", "--project"}).error, HasSubstr("no file of its own"));
}

TEST_F(McpSetupVerb, ASharedFileNamesNoPathOfThisMachine) {
  fs::current_path(test_directory());
  const Outcome project = set_up({"cursor", "--project"});
  EXPECT_THAT(project.out, HasSubstr("\"command\": \"quarry\""));
  EXPECT_THAT(set_up({"cursor", "--file", file_.string()}).out, HasSubstr("\"command\": \"/"));
}

}  // namespace
}  // namespace quarry::cli
