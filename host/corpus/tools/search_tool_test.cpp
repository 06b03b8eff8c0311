#include "base/executor.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/tools/tool_output.h"
#include "corpus/tools/tools.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SearchTool : public CollectionFixture {
 protected:
  Result<ToolResult> run(const Collection& all, const Json& arguments) {
    InlineExecutor executor;
    return run_search(all, arguments, executor, {});
  }
};

TEST_F(SearchTool, ShowsPassagesWithTheirPlaceHeadingAndLines) {
  const Collection all = collection("docs", {{"a.md", "# Pets\n\nThe zebra\nsleeps.\n"}});
  const auto result = run(all, {{"query", "zebra"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output,
            "docs/a.md:1-4  Pets\n     1\t# Pets\n     2\t\n     3\tThe zebra\n     4\tsleeps.\n"
            "\n\n(1 passage, best first.)\n");
  EXPECT_EQ(result->title, "search \"zebra\": 1 passage");
  EXPECT_EQ(Json::parse(result->metadata),
            Json::parse(R"({"passages":[{"path":"docs/a.md","start":1,"end":4}],
                            "truncated":false})"));
}

TEST_F(SearchTool, SaysWhatToDoWhenNothingWasFound) {
  const auto result = run(collection("docs", {{"a", "text"}}), {{"query", "zebra"}});
  EXPECT_THAT(result->output, AllOf(HasSubstr("Nothing stands near"), HasSubstr("grep")));
}

TEST_F(SearchTool, CutsLongPassagesAndSaysWhereTheyGoOn) {
  std::string text = "# Zebra\n";
  for (int i = 0; i < 40; ++i) text += std::string(3000, 'z') + " zebra\n";
  const auto result = run(collection("docs", {{"wide.md", text}}), {{"query", "zebra"}});
  ASSERT_TRUE(result);
  EXPECT_LE(result->output.size(), kMostOutputBytes);
  EXPECT_THAT(result->output, HasSubstr("… (cut)"));
}

TEST_F(SearchTool, StaysBelowItsBytesWithManyPassages) {
  auto writer = *SnapshotWriter::create(new_directory(), {}, {});
  std::string text;
  for (int i = 0; i < 50; ++i) text += "zebra " + std::string(200, 'x') + " " + "\n";
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(writer->add("f" + std::to_string(i) + ".txt", text));
  const Collection all({{"docs", *writer->finish()}});
  const auto result = run(all, {{"query", "zebra"}, {"limit", 50}});
  ASSERT_TRUE(result);
  EXPECT_LE(result->output.size(), kMostOutputBytes);
  EXPECT_THAT(result->output, HasSubstr("goes on; read it with offset="));
  EXPECT_EQ(Json::parse(result->metadata)["passages"].size(), 50u);
}

TEST_F(SearchTool, NamesTheFieldThatIsWrong) {
  const Collection all = collection("docs", {{"a", "text"}});
  const auto message = [&](const Json& arguments) { return run(all, arguments).error().message; };
  EXPECT_THAT(message(Json::object()), StartsWith("query: is required"));
  EXPECT_THAT(message({{"query", 1}}), HasSubstr("query: must be a string"));
  EXPECT_THAT(message({{"query", "x"}, {"limit", 51}}), HasSubstr("limit: "));
  EXPECT_THAT(message({{"query", "x"}, {"paths", "y"}}), HasSubstr("paths: "));
  EXPECT_EQ(run(all, {{"query", "x"}, {"path", "docs/zzz"}}).error().code, Code::kNotFound);
}

TEST_F(SearchTool, ShowsPathsAndTextOfAnyBytesAsUtf8) {
  const Collection all = collection("docs", {{"bad\xFF.md", "zebra\n"}});
  EXPECT_THAT(run(all, {{"query", "zebra"}})->output, StartsWith("docs/bad\xEF\xBF\xBD.md:1-1"));
}

}  // namespace
}  // namespace quarry::corpus
