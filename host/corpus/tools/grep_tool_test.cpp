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
using namespace std::string_view_literals;

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

// daddel80/notepadpp-multireplace#133, microsoft/vscode#116002: files that are skipped in silence
TEST_F(GrepTool, NamesFilesThatLookBinaryWhenItFindsNothing) {
  const auto all = collection("r", {{"a", "x"}, {"sub/b.dat", "x\0\1"sv}});
  EXPECT_THAT(run(all, R"({"pattern":"y"})")->output,
              HasSubstr("Not searched, since it looks binary: r/sub/b.dat."));
  EXPECT_THAT(run(all, R"({"pattern":"y","path":"r/sub"})")->output, HasSubstr("b.dat"));
  EXPECT_THAT(run(all, R"({"pattern":"y","path":"r/a"})")->output, Not(HasSubstr("searched")));
  EXPECT_THAT(run(all, R"({"pattern":"x"})")->output, Not(HasSubstr("searched")));
  const auto more = collection("r", {{"1", "\0"sv}, {"2", "\0"sv}, {"3", "\0"sv}, {"4", "\0"sv}});
  EXPECT_THAT(run(more, R"({"pattern":"y"})")->output,
              HasSubstr("they look binary: r/1, r/2, r/3 and 1 more file."));
}

TEST_F(GrepTool, FindsTextInNationalEncodingsAndNotebooks) {
  const auto all = collection(
      "r", {{"a.py",
             "# \xE9t\xE9 \xE0 la fran\xE7"
             "aise\r\nreturn value\r\n"},
            {"b.ipynb",
             R"json({"cells":[{"cell_type":"code","source":["import x\n","fit(y)"]}]})json"}});
  EXPECT_THAT(run(all, R"({"pattern":"value$"})")->output, StartsWith("r/a.py\n2: return value\n"));
  EXPECT_THAT(run(all, R"({"pattern":"été à"})")->output,
              StartsWith("r/a.py\n1: # été à la française\n"));
  EXPECT_THAT(run(all, R"({"pattern":"^fit"})")->output, StartsWith("r/b.ipynb\n3: fit(y)\n"));
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
