#include "engine/model_tools.h"

#include "base/executor.h"
#include "corpus/query/testing/collection_fixture.h"

#include <optional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModelTools : public corpus::CollectionFixture {
 protected:
  Result<ask::ToolResult> run(std::string_view name, const Json& arguments,
                              std::stop_token stop = {}) {
    const ToolRow* const row = model_tool(name);
    if (row == nullptr) return no_model_tool(name, false);
    return run_model_tool(*row,
                          {.collection = *all_,
                           .facts = {},
                           .executor = executor_,
                           .stop = std::move(stop),
                           .form = corpus::PageForm::kText},
                          arguments);
  }
  std::string output(std::string_view name, const Json& arguments) {
    const auto result = run(name, arguments);
    return result ? result->output : result.error().message + ' ' + result.error().hint;
  }
  static std::vector<std::string> names(bool with_symbols) {
    std::vector<std::string> out;
    const Json tools = *parse_json(model_tools(with_symbols));
    for (const Json& tool : tools) out.push_back(tool["name"]);
    return out;
  }
  void SetUp() override {
    CollectionFixture::SetUp();
    all_.emplace(
        collection("docs", {{"a.md", "# Heading\nsome words\n"}, {"b.txt", "words\nwords\n"}}));
  }

  std::optional<corpus::Collection> all_;
  InlineExecutor executor_;
};

TEST_F(ModelTools, AreOfferedInTheOrderOfTheTable) {
  EXPECT_THAT(names(false), ElementsAre("search", "grep", "list", "read"));
  EXPECT_THAT(names(true), ElementsAre("search", "grep", "symbols", "list", "read"));
}

TEST_F(ModelTools, HaveSchemasOfPlainTypesWithoutTheResources) {
  const Json tools = *parse_json(model_tools(true));
  for (const Json& tool : tools) {
    const Json& members = tool["parameters"]["properties"];
    for (const char* other : {"resources", "form", "principal", "explain", "aliases"}) {
      EXPECT_FALSE(members.contains(other)) << tool["name"] << other;
    }
    for (const auto& [name, rule] : members.items()) EXPECT_TRUE(rule["type"].is_string()) << name;
  }
}

/// Four bytes of what a request says of the tools are a token.
TEST_F(ModelTools, CostAModelNoMoreThanNineHundredTokens) {
  EXPECT_LE(model_tools(true).size(), 4 * 900u);
}

TEST_F(ModelTools, AnswerAsText) {
  EXPECT_EQ(output("list", Json::object()), "docs/ 2 files");
  EXPECT_EQ(output("grep", {{"pattern", "some w"}}), "docs/a.md:2: some words");
  EXPECT_EQ(output("read", {{"path", "docs/a.md"}}), "docs/a.md:1: # Heading\n2: some words");
  EXPECT_THAT(output("search", {{"query", "heading"}}), HasSubstr("docs/a.md:1: # Heading"));
}

TEST_F(ModelTools, HaveATitleAndFactsForClients) {
  const auto grep = run("grep", {{"pattern", "words"}, {"limit", 2}});
  EXPECT_EQ(grep->title, "grep \"words\": 2 hits, and more");
  EXPECT_EQ(*parse_json(grep->metadata), *parse_json(R"({"truncated": true, "passages": [
      {"path": "docs/a.md", "start": 2, "end": 2}, {"path": "docs/b.txt", "start": 1, "end": 1}]})"));
  EXPECT_EQ(run("read", {{"path", "docs/a.md"}})->title, "read \"docs/a.md\": lines 1-2");
  EXPECT_EQ(run("list", Json::object())->title, "list: 1 path");
  EXPECT_EQ(*parse_json(run("list", {{"path", "docs"}})->metadata),
            *parse_json(R"({"truncated": false, "total": 2})"));
}

TEST_F(ModelTools, AreKnownByTheNamesAndArgumentsOfOtherAgents) {
  EXPECT_EQ(output("glob", {{"pattern", "*.md"}}), "docs/:\na.md 2 lines");
  EXPECT_EQ(output("read", {{"path", "docs/a.md"}, {"offset", 2}}), "docs/a.md:2: some words");
  EXPECT_THAT(output("read", {{"path", "docs/a.md"}, {"offset", 1}, {"limit", 1}}),
              StartsWith("docs/a.md:1: # Heading\n(Lines 2-2 are left out"));
  EXPECT_EQ(output("grep", {{"pattern", "SOME"}, {"ignore_case", true}}),
            "docs/a.md:2: some words");
  EXPECT_THAT(output("outline", {{"path", "docs/a.md"}}), HasSubstr("symbols are not available"));
}

// homeassistant-ai/ha-mcp#218, jw409/ZMCPTools#95
TEST_F(ModelTools, TakeArgumentsAsTheyAreMeant) {
  const Json meant{{"pattern", "."}, {"limit", 5}, {"ignoreCase", true}, {"context", 2}};
  const Json written{{"pattern", "."}, {"limit", "5"},    {"ignore_case", "True"},
                     {"context", 2.0}, {"path", nullptr}, {"include", ""}};
  EXPECT_EQ(output("grep", written), output("grep", meant));
}

TEST_F(ModelTools, NameEveryMistakeInTheArguments) {
  const Error missing = run("grep", Json::object()).error();
  EXPECT_EQ(missing.code, Code::kInvalidArgument);
  EXPECT_THAT(missing.message, HasSubstr("\"pattern\" is required"));
  EXPECT_THAT(output("search", {{"query", "x"}, {"limit", 51}}), HasSubstr("\"limit\" must be"));
  EXPECT_THAT(output("search", {{"query", "x"}, {"paths", "y"}}),
              HasSubstr("\"paths\" is not known; did you mean \"path\"?"));
  EXPECT_EQ(run("search", {{"query", 1}, {"maxTokens", 9000}}).error().details.size(), 2u);
  EXPECT_THAT(output("read", {{"path", "docs/zzz"}}), HasSubstr("there is no"));
}

TEST_F(ModelTools, ThatDoNotExistAreAnErrorThatNamesThoseThatDo) {
  for (const char* name : {"write", "sync", ""}) {
    EXPECT_THAT(output(name, Json::object()), EndsWith("The tools are: search, grep, list, read."));
  }
}

TEST_F(ModelTools, CanAllBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const std::pair<const char*, Json> calls[] = {{"list", Json::object()},
                                                {"grep", {{"pattern", "x"}}},
                                                {"read", {{"path", "docs/a.md"}}},
                                                {"search", {{"query", "words"}}}};
  for (const auto& [name, arguments] : calls) {
    EXPECT_EQ(run(name, arguments, stop.get_token()).error().code, Code::kCancelled) << name;
  }
}

}  // namespace
}  // namespace quarry::engine
