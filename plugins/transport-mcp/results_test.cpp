#include "transport-mcp/results.h"

#include "transport-mcp/mcp_resources.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::Failure;
using mcp::Json;

Json parsed(const mcp::Answer& answer) {
  return Json::parse(answer.result);
}

TEST(Results, HaveTheirStructureAsTextToo) {
  const Json result = parsed(result_of(Json{{"name", "docs"}}));
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["structuredContent"], (Json{{"name", "docs"}}));
  EXPECT_EQ(result["content"][0]["type"], "text");
  EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()),
            result["structuredContent"]);
}

TEST(Results, OfRetrievalAreTextAndTheirStructureOnRequest) {
  const Json page{{"text", "docs/a.md:3: noon"}, {"hits", {{{"startLine", 3}}}}, {"more", false}};
  const Json plain = parsed(result_of_page(page, false));
  EXPECT_EQ(plain, Json::parse(R"({"content": [{"type": "text", "text": "docs/a.md:3: noon"}],
                                   "isError": false})"));
  const Json both = parsed(result_of_page(page, true));
  EXPECT_EQ(both["content"], plain["content"]);
  EXPECT_EQ(both["structuredContent"],
            Json::parse(R"({"hits": [{"startLine": 3}], "more": false})"));
  EXPECT_EQ(parsed(result_of_page(Json(), true))["isError"], true);
}

TEST(Results, AnErrorWithoutItsStructureIsSaidOnce) {
  const mcp::Answer failed =
      failure_of({QUARRY_INVALID_ARGUMENT, "RequestError", "path: is wrong", "Use list.", {}});
  EXPECT_EQ(parsed(without_structure(failed)),
            (Json{{"content", {{{"type", "text"}, {"text", "path: is wrong (Use list.)"}}}},
                  {"isError", true}}));
}

TEST(Results, AnAnswerStandsAloneWithWhatBelongsToItBehind) {
  const Json result = parsed(result_of_ask(
      R"({"type":"done","text":"Yes [a:b#L1].","reasoning":"hidden","tools":[{"x":1}],
          "citations":[{"path":"b"}],"usage":{"inputTokens":1},"metrics":{"timing":{}}})"));
  EXPECT_EQ(result["content"][0]["text"], "Yes [a:b#L1].");
  const Json rest{{"citations", {{{"path", "b"}}}},
                  {"usage", {{"inputTokens", 1}}},
                  {"metrics", {{"timing", Json::object()}}}};
  EXPECT_EQ(Json::parse(result["content"][1]["text"].get<std::string>()), rest);
  Json structured = rest;
  structured["answer"] = "Yes [a:b#L1].";
  EXPECT_EQ(result["structuredContent"], structured);
}

TEST(Results, WhatTheEngineDidNotSayIsLeftOut) {
  const Json result = parsed(result_of_ask(R"({"type":"done","text":"a"})"));
  EXPECT_EQ(result["structuredContent"], (Json{{"answer", "a"}, {"citations", Json::array()}}));
  EXPECT_EQ(parsed(result_of_ask("nonsense"))["isError"], true);
  EXPECT_EQ(parsed(result_of_ask(""))["isError"], true);
}

TEST(Results, LongAnswersAreCutAndSayHowToGoOn) {
  for (const std::string& piece : {std::string("word "), std::string("\n\""), std::string("ä€😀")}) {
    for (const std::size_t path : {100U, 1000U}) {
      std::string text;
      while (text.size() < 500'000) text += piece;
      Json citations = Json::array();
      for (int i = 0; i < 1000; ++i) citations.push_back({{"path", std::string(path, 'p')}});
      const mcp::Answer answer =
          result_of_ask(Json{{"text", text}, {"citations", citations}}.dump());
      EXPECT_LT(answer.result.size(), 75'000U) << "25,000 tokens of three bytes";
      EXPECT_GT(answer.result.size(), 40'000U) << piece;
      const Json result = parsed(answer);
      const std::string shown = result["content"][0]["text"];
      EXPECT_NE(shown.find("The answer is cut here"), std::string::npos);
      EXPECT_EQ(shown.find("\xEF\xBF\xBD"), std::string::npos) << "a character was cut in two";
      EXPECT_EQ(result["structuredContent"]["answer"], shown);
      EXPECT_GT(result["structuredContent"]["citations"].size(), 10U);
    }
  }
}

TEST(Results, SayEachMistakeOnce) {
  const auto said = [](std::string message, std::string fields) {
    const Failure failure{QUARRY_INVALID_ARGUMENT, {}, std::move(message), {}, std::move(fields)};
    return parsed(failure_of(failure))["content"][0]["text"].get<std::string>();
  };
  EXPECT_EQ(said(R"(the arguments are not valid: "limit" must be at most 50)",
                 R"([{"field":"/limit","message":"must be at most 50"}])"),
            R"(the arguments are not valid: "limit" must be at most 50)");
  EXPECT_EQ(
      said("there is no file a.md", R"([{"field":"/path","message":"there is no file a.md"}])"),
      "there is no file a.md");
  EXPECT_EQ(
      said(R"(not valid: "a" is required (and 1 more))",
           R"([{"field":"/a","message":"is required"},{"field":"/b","message":"is required"}])"),
      R"(not valid: "a" is required (and 1 more); b is required)");
  EXPECT_EQ(said("a: must be a string; b: is required",
                 R"([{"field":"/a","message":"must be a string"},
                     {"field":"/b","message":"is required"}])"),
            "a: must be a string; b: is required");
}

TEST(Results, LongListsAreCutAndSayHowToGoOn) {
  Json all{{"resources", Json::array()}};
  for (int i = 0; i < 2000; ++i) {
    all["resources"].push_back({{"type", "npm"}, {"name", "package-" + std::to_string(i)}});
  }
  const mcp::Answer answer = result_of_list(all.dump());
  EXPECT_LT(answer.result.size(), 100'000U);
  const Json result = parsed(answer);
  EXPECT_EQ(result["structuredContent"]["total"], 2000);
  EXPECT_NE(result["content"][1]["text"].get<std::string>().find("resources/list"),
            std::string::npos);
  EXPECT_EQ(parsed(result_of_list("{}"))["isError"], true);
}

TEST(Results, FailuresNameCauseFieldAndTag) {
  const Json result =
      parsed(failure_of({QUARRY_INVALID_ARGUMENT, "ConfigError", "it is not valid", "Correct it.",
                         R"([{"field":"/branch","message":"is missing"}])"}));
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "it is not valid; branch is missing (Correct it.)");
  EXPECT_EQ(result["structuredContent"]["tag"], "ConfigError");
  EXPECT_EQ(result["structuredContent"]["hint"], "Correct it.");
}

// Codex gives its models structuredContent alone.
TEST(Results, FailuresSayTheirSentenceInTheStructureToo) {
  const Json result =
      parsed(failure_of({QUARRY_INVALID_ARGUMENT, "ConfigError", "it is not valid", "Correct it.",
                         R"([{"field":"/branch","message":"is missing"}])"}));
  EXPECT_EQ(result["structuredContent"], (Json{{"tag", "ConfigError"},
                                               {"message", "it is not valid; branch is missing"},
                                               {"hint", "Correct it."}}));
}

TEST(Results, FailuresWithoutATagGetOneByTheirStatus) {
  for (const auto& [status, tag] : std::vector<std::pair<quarry_status, const char*>>{
           {QUARRY_INVALID_ARGUMENT, "RequestError"},
           {QUARRY_NOT_FOUND, "NotFound"},
           {QUARRY_PERMISSION_DENIED, "RightsError"},
           {QUARRY_UNAUTHENTICATED, "AuthenticationError"},
           {QUARRY_UNAVAILABLE, "Unavailable"},
           {QUARRY_RESOURCE_EXHAUSTED, "RateLimitError"},
           {QUARRY_DEADLINE_EXCEEDED, "TimeoutError"},
           {QUARRY_DATA_LOSS, "DataLoss"},
           {QUARRY_INTERNAL, "InternalError"}}) {
    EXPECT_EQ(parsed(failure_of({status, {}, "m", {}, {}}))["structuredContent"]["tag"], tag);
  }
}

TEST(Results, OnlyTooManyQuestionsAreRefusedForNow) {
  EXPECT_TRUE(refusal_of({QUARRY_RESOURCE_EXHAUSTED, "RateLimitError", "m", {}, {}}).retry_after);
  EXPECT_FALSE(refusal_of({QUARRY_RESOURCE_EXHAUSTED, "BudgetError", "m", {}, {}}).retry_after);
  EXPECT_FALSE(failure_of({QUARRY_RESOURCE_EXHAUSTED, "RateLimitError", "m", {}, {}}).retry_after);
}

TEST(McpResources, AreNamedByUri) {
  const Json page = parsed(page_of_resources(
      R"({"resources":[{"type":"git","name":"a","url":"https://x/y","specialNotes":"n"},
                       {"type":"npm","name":"@s/p q","package":"@s/p"},
                       {"type":"walk","name":"w","place":"forest","season":"autumn","note":"x"},
                       {"type":"odd","name":"o","url":"https://x/z"}]})",
      "", {{"git", {"url"}}, {"npm", {"package"}}, {"walk", {"place", "season"}}}));
  EXPECT_EQ(page["resources"][0], (Json{{"uri", "quarry://resources/a"},
                                        {"name", "a"},
                                        {"description", "git https://x/y: n"},
                                        {"mimeType", "application/json"}}));
  EXPECT_EQ(page["resources"][1]["uri"], "quarry://resources/%40s%2Fp%20q");
  EXPECT_EQ(page["resources"][1]["description"], "npm @s/p");
  EXPECT_EQ(page["resources"][2]["description"], "walk forest autumn");
  EXPECT_EQ(page["resources"][3]["description"], "odd");
  EXPECT_FALSE(page.contains("nextCursor"));
}

TEST(McpResources, AreIdentifiedByTheFieldsThatTheirTypeRequires) {
  const Json schemas = Json::parse(R"({"resource": {"oneOf": [
    {"properties": {"type": {"const": "git"}}, "required": ["url", "type", "name"]},
    {"properties": {"type": {"const": "walk"}}, "required": ["place", "season", 3]},
    {"properties": {"type": {"type": "string"}}, "required": ["x"]}, null]}})");
  EXPECT_EQ(source_fields(schemas),
            (SourceFields{{"git", {"url"}}, {"walk", {"place", "season"}}}));
  EXPECT_TRUE(source_fields(Json::object()).empty());
  EXPECT_TRUE(source_fields(nullptr).empty());
}

TEST(McpResources, ComePageByPage) {
  Json all{{"resources", Json::array()}};
  for (int i = 0; i < 250; ++i) all["resources"].push_back({{"name", std::to_string(i)}});
  std::string cursor;
  std::size_t seen = 0;
  for (int pages = 1; pages <= 3; ++pages) {
    const Json page = parsed(page_of_resources(all.dump(), cursor, {}));
    seen += page["resources"].size();
    cursor = page.value("nextCursor", "");
    EXPECT_EQ(cursor.empty(), pages == 3);
  }
  EXPECT_EQ(seen, 250U);
  EXPECT_EQ(page_of_resources(all.dump(), "x", {}).error->code, mcp::kInvalidParams);
  EXPECT_EQ(page_of_resources(all.dump(), "-1", {}).error->code, mcp::kInvalidParams);
  EXPECT_EQ(parsed(page_of_resources(all.dump(), "9999", {}))["resources"].size(), 0U);
}

TEST(McpResources, AreReadAsTheyAreConfigured) {
  const std::string all = R"({"resources":[{"type":"npm","name":"@s/p","package":"@s/p"}]})";
  const Json result =
      parsed(contents_of_resource(all, "quarry://resources/%40s%2Fp", mcp::Era::kModern));
  EXPECT_EQ(result["contents"][0]["uri"], "quarry://resources/%40s%2Fp");
  EXPECT_EQ(Json::parse(result["contents"][0]["text"].get<std::string>())["package"], "@s/p");
  for (const char* uri : {"quarry://resources/none", "quarry://resources/%zz", "file:///etc/passwd",
                          "quarry://resources/", ""}) {
    EXPECT_EQ(contents_of_resource(all, uri, mcp::Era::kModern).error->code, mcp::kInvalidParams);
    EXPECT_EQ(contents_of_resource(all, uri, mcp::Era::kLegacy).error->code, -32002);
  }
}

// griffinwork40/agent-afk#952, dcdpr/jp#746, No-Compromise-AI/glm-mcp#41
TEST(Results, SayThatAnAnswerIsCut) {
  for (const char* reason : {"length", "contentFilter", "maxSeconds"}) {
    const mcp::Answer answer =
        result_of_ask(Json{{"text", "The po"}, {"finishReason", reason}}.dump());
    const Json result = Json::parse(answer.result);
    EXPECT_EQ(result["structuredContent"]["finishReason"], reason);
    EXPECT_TRUE(
        result["content"][1]["text"].get<std::string>().starts_with("[The answer is incomplete: "));
    EXPECT_EQ(result["isError"], false);
  }
  const Json whole = Json::parse(result_of_ask(R"({"text":"a","finishReason":"stop"})").result);
  EXPECT_EQ(whole["content"].size(), 2u);
}

}  // namespace
}  // namespace quarry::transport_mcp
