#include "corpus/tools/tools.h"

#include "base/testing/test_executors.h"
#include "corpus/query/testing/collection_fixture.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Tools : public CollectionFixture {
 protected:
  Result<ToolResult> run(std::string_view tool, const Json& arguments, std::stop_token stop = {}) {
    const Collection all = collection("docs", {{"a.md", "# Heading\nsome words\n"}});
    return run_tool(all, tool, arguments, executor_, std::move(stop));
  }
  /// A value that the schema of an argument allows.
  static Json sample(const std::string& name, const Json& schema) {
    if (schema["type"] == "integer") return schema["minimum"];
    if (schema["type"] == "boolean") return true;
    if (name == "path") return "docs/a.md";
    return name == "include" ? "*.md" : "words";
  }
  ThreadPerJob executor_;
};

TEST_F(Tools, AreOfferedInOrder) {
  std::vector<std::string_view> names;
  for (const ToolDescription& tool : tools(false)) names.push_back(tool.name);
  EXPECT_THAT(names, ElementsAre("list", "glob", "grep", "read", "search"));
}

TEST_F(Tools, TakeExactlyWhatTheirSchemasSay) {
  for (const ToolDescription& tool : tools(false)) {
    const Json schema = Json::parse(tool.parameters);
    EXPECT_EQ(schema["additionalProperties"], false);
    Json arguments = Json::object();
    for (const auto& [name, property] : schema["properties"].items()) {
      EXPECT_FALSE(property["description"].get<std::string>().empty());
      arguments[name] = sample(name, property);
    }
    const auto all = run(tool.name, arguments);
    const std::string message = all ? "" : all.error().message;
    EXPECT_THAT(message, Not(AnyOf(HasSubstr("no such argument"), HasSubstr("must be"))))
        << tool.name;
    for (const Json& required : schema.value("required", Json::array())) {
      Json without = arguments;
      without.erase(required.get<std::string>());
      const auto lacking = run(tool.name, without);
      ASSERT_FALSE(lacking) << tool.name;
      EXPECT_EQ(lacking.error().code, Code::kInvalidArgument);
      EXPECT_THAT(lacking.error().message,
                  HasSubstr(required.get<std::string>() + ": is required"));
    }
    arguments["unknown"] = 1;
    EXPECT_THAT(run(tool.name, arguments).error().message, HasSubstr("unknown: there is no such"));
  }
}

// homeassistant-ai/ha-mcp#218, jw409/ZMCPTools#95
TEST_F(Tools, TakeArgumentsAsTheyAreMeant) {
  const Json meant{{"pattern", "."}, {"limit", 5}, {"ignore_case", true}, {"context", 2}};
  const Json written{{"pattern", "."}, {"limit", "5"},    {"ignore_case", "True"},
                     {"context", 2.0}, {"path", nullptr}, {"include", ""}};
  const auto expected = run("grep", meant);
  const auto found = run("grep", written);
  ASSERT_TRUE(expected && found) << found.error().message;
  EXPECT_EQ(found->output, expected->output);
  EXPECT_FALSE(run("grep", {{"pattern", "."}, {"limit", "five"}}));
}

TEST_F(Tools, AnswerByName) {
  EXPECT_THAT(run("list", Json::object())->output, HasSubstr("docs/"));
  EXPECT_THAT(run("glob", {{"pattern", "*.md"}})->output, HasSubstr("docs/a.md"));
  EXPECT_THAT(run("grep", {{"pattern", "some w"}})->output, HasSubstr("docs/a.md"));
  EXPECT_THAT(run("read", {{"path", "docs/a.md"}})->output, HasSubstr("# Heading"));
  EXPECT_THAT(run("search", {{"query", "words"}})->output, HasSubstr("docs/a.md"));
}

TEST_F(Tools, ThatDoNotExistAreAnErrorThatNamesThoseThatDo) {
  const auto result = run("write", Json::object());
  EXPECT_EQ(result.error().code, Code::kInvalidArgument);
  EXPECT_THAT(result.error().message, HasSubstr("no tool \"write\""));
  EXPECT_THAT(result.error().hint, HasSubstr("list, glob, grep, read, search"));
}

TEST_F(Tools, CanAllBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const Json arguments[] = {Json::object(),
                            {{"pattern", "x"}},
                            {{"pattern", "x"}},
                            {{"path", "docs/a.md"}},
                            {{"query", "words"}}};
  for (std::size_t i = 0; i < tools(false).size(); ++i) {
    const auto result = run(tools(false)[i].name, arguments[i], stop.get_token());
    ASSERT_FALSE(result) << tools(false)[i].name;
    EXPECT_EQ(result.error().code, Code::kCancelled) << tools(false)[i].name;
  }
}

}  // namespace
}  // namespace quarry::corpus
