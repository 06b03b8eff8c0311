#include "base/executor.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/tools/tools.h"

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class GrepTool : public CollectionFixture {
 protected:
  static Result<ToolResult> run(const Collection& all, const std::string& arguments) {
    InlineExecutor executor;
    return run_grep(all, Json::parse(arguments), executor, {});
  }
};

TEST_F(GrepTool, GroupsByFile) {
  const auto all = collection("r", {{"a", "x\ny\nz\nz\nx"}, {"b", "x"}});
  const auto result = *run(all, R"({"pattern":"x","context":1})");
  EXPECT_EQ(result.output,
            "r/a\n1: x\n2- y\n--\n4- z\n5: x\n\nr/b\n1: x\n\n(3 matching lines in 2 files)\n");
  EXPECT_EQ(result.title, "grep \"x\": 3 matches");
  EXPECT_EQ(Json::parse(result.metadata),
            Json::parse(R"({"matches":3,"files":2,"truncated":false})"));
}

TEST_F(GrepTool, SaysHowToGoOn) {
  const auto all = collection("r", {{"a", "x\nx\nx\n"}});
  EXPECT_THAT(run(all, R"({"pattern":"x","limit":2})")->output,
              HasSubstr("first 2 matching lines"));
  EXPECT_THAT(run(all, R"({"pattern":"X"})")->output, HasSubstr("ignore_case"));
  EXPECT_THAT(run(all, R"({"pattern":"X","ignore_case":true})")->output, StartsWith("r/a\n1: x"));
}

TEST_F(GrepTool, NeverAnswersMoreThanItsLimit) {
  const std::string line(1500, 'x');
  std::string text;
  for (int i = 0; i < 90; ++i) text += line + "\n";
  const auto result = *run(collection("r", {{"a", text}}), R"({"pattern":"x"})");
  EXPECT_LE(result.output.size(), 50u << 10);
  EXPECT_THAT(result.output, HasSubstr("there are more"));
  EXPECT_EQ(Json::parse(result.metadata)["truncated"], true);
}

TEST_F(GrepTool, NamesWhatIsWrong) {
  const auto all = collection("r", {{"a", "x"}});
  EXPECT_THAT(run(all, "{}").error().message, HasSubstr("pattern"));
  EXPECT_THAT(run(all, R"({"pattern":"(","path":"r"})").error().message, HasSubstr("missing )"));
  EXPECT_THAT(run(all, R"({"pattern":"x","context":11})").error().message, HasSubstr("context"));
  EXPECT_THAT(run(all, R"({"pattern":"x","globs":"*"})").error().message, HasSubstr("globs"));
  EXPECT_THAT(run(all, R"({"pattern":"x","path":"../etc"})").error().message, Not(IsEmpty()));
}

}  // namespace
}  // namespace quarry::corpus
