#include "base/schema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry {
namespace {

constexpr std::string_view kTool = R"json({
  "type": "object", "required": ["pattern"],
  "properties": {
    "pattern": {"type": "string", "minLength": 1},
    "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 50},
    "weight": {"type": "number"},
    "count": {"type": "integer"},
    "explain": {"type": ["boolean", "null"]},
    "cursor": {"type": ["string", "null"], "minLength": 1},
    "startLine": {"type": ["integer", "null"], "minimum": 1, "aliases": ["offset", "first_line"]},
    "ns_name": {"type": "string"}, "nsName": {"type": "string"},
    "path": {"type": ["string", "null"]},
    "kind": {"type": "string", "minLength": 1},
    "resources": {"type": ["array", "null"], "items": {"type": "string", "minLength": 1}},
    "lines": {"type": "array", "items": {"type": "integer"}},
    "turns": {"type": "array", "items": {"type": "object", "properties": {
      "role": {"type": "string"}, "last": {"type": "boolean"}}}},
    "options": {"type": "object", "properties": {"depth": {"type": "integer"}}},
    "labels": {"type": "object", "additionalProperties": {"type": "integer"}}
  }
})json";

/// The members besides "pattern" of a call with `members`, coerced; or the mistake that is left.
std::string coerced(std::string_view members) {
  static const Schema schema = compiled_schema(kTool);
  Json value = *parse_json(R"({"pattern":"x",)" + std::string(members) + "}");
  schema.coerce(value);
  const auto mistakes = schema.check(value, Schema::Unknown::kIgnore);
  if (!mistakes.empty()) return mistakes.front().field + " " + mistakes.front().message;
  value.erase("pattern");
  return to_text(value);
}

// anthropics/claude-code#73137, #59227, hustcc/mcp-echarts#30, Azure/azure-mcp#726
TEST(Coercion, TakesListsAndObjectsThatAreWrittenAsText) {
  EXPECT_EQ(coerced(R"("resources":"[\"a\",\"b\"]")"), R"({"resources":["a","b"]})");
  EXPECT_EQ(coerced(R"("resources":" [ \"a\" ]\n")"), R"({"resources":["a"]})");
  EXPECT_EQ(coerced(R"("resources":"[]")"), R"({"resources":[]})");
  EXPECT_EQ(coerced(R"("lines":"[1271, 2106]")"), R"({"lines":[1271,2106]})");
  EXPECT_EQ(coerced(R"("turns":"[{\"role\":\"user\"}]")"), R"({"turns":[{"role":"user"}]})");
  EXPECT_EQ(coerced(R"("options":"{\"depth\":2}")"), R"({"options":{"depth":2}})");
  EXPECT_EQ(coerced(R"("options":"\"{\\\"depth\\\":2}\"")"), R"({"options":{"depth":2}})")
      << "the text of a text";
}

// homeassistant-ai/ha-mcp#218, anthropics/claude-code#91803, jw409/ZMCPTools#95,
// Dave-London/Pare#782
TEST(Coercion, TakesNumbersAndTruthThatAreWrittenAsText) {
  EXPECT_EQ(coerced(R"("limit":"5")"), R"({"limit":5})");
  EXPECT_EQ(coerced(R"("limit":" 5.0 ")"), R"({"limit":5})");
  EXPECT_EQ(coerced(R"("count":"-3","weight":"0.25")"), R"({"count":-3,"weight":0.25})");
  EXPECT_EQ(coerced(R"("explain":"true")"), R"({"explain":true})");
  EXPECT_EQ(coerced(R"("explain":"False")"), R"({"explain":false})");
  EXPECT_EQ(coerced(R"("explain":"1")"), R"({"explain":true})");
  EXPECT_EQ(coerced(R"("explain":1)"), R"({"explain":true})");
  EXPECT_EQ(coerced(R"("limit":"null","explain":"null")"), R"({"explain":null,"limit":null})");
}

// NousResearch/hermes-agent#78335
TEST(Coercion, TakesANumberWithoutAFractionForAnInteger) {
  EXPECT_EQ(coerced(R"("limit":5.0,"count":-1e2)"), R"({"count":-100,"limit":5})");
  EXPECT_EQ(coerced(R"("lines":[1.0,"2"])"), R"({"lines":[1,2]})");
}

// can1357/oh-my-pi#2981, garrytan/gbrain#3850, moltis-org/moltis#283, langflow-ai/langflow#8059
TEST(Coercion, LeavesOutWhatSaysNothing) {
  EXPECT_EQ(coerced(R"("limit":"","cursor":"","explain":"","resources":"","options":"")"), "{}");
  EXPECT_EQ(coerced(R"("weight":null,"count":null,"lines":null,"kind":null,"options":null)"), "{}");
  EXPECT_EQ(coerced(R"("resources":[""],"lines":[null])"), "{}");
  EXPECT_EQ(coerced(R"("path":"","limit":null)"), R"({"limit":null,"path":""})")
      << "as the schema permits";
}

TEST(Coercion, TakesOneItemForAList) {
  EXPECT_EQ(coerced(R"("resources":"npm:react@18")"), R"({"resources":["npm:react@18"]})");
  EXPECT_EQ(coerced(R"("resources":"18")"), R"({"resources":["18"]})");
  EXPECT_EQ(coerced(R"("lines":7)"), R"({"lines":[7]})");
  EXPECT_EQ(coerced(R"("turns":{"role":"user"})"), R"({"turns":[{"role":"user"}]})");
}

// langchain-ai/langchain-mcp-adapters#277, Actual-Chat/actual-chat#4728, gridbeario/gridbear#31,
// taylorwilsdon/google_workspace_mcp#918
TEST(Coercion, TakesTheItemOfAListOfOne) {
  EXPECT_EQ(coerced(R"("options":[{"depth":"2"}])"), R"({"options":{"depth":2}})");
  EXPECT_EQ(coerced(R"("path":["a"],"limit":["5"])"), R"({"limit":5,"path":"a"})");
  EXPECT_EQ(coerced(R"("path":["a","b"])"), "/path must be of type string or null, not array");
}

TEST(Coercion, TakesAChoiceInAnotherCase) {
  const Schema schema = compiled_schema(R"({"type":"object","properties":{
    "form":{"type":["string","null"],"enum":["json","text",null]}}})");
  Json value{{"form", "Text"}};
  schema.coerce(value);
  EXPECT_EQ(value, (Json{{"form", "text"}}));
  Json other{{"form", "pdf"}};
  schema.coerce(other);
  EXPECT_EQ(other, (Json{{"form", "pdf"}}));
}

// The arguments of a call in the place of what is called with them.
TEST(Coercion, TakesArgumentsThatAreWrappedOnceMore) {
  static const Schema schema = compiled_schema(kTool);
  const Json wanted{{"pattern", "x"}, {"limit", 5}};
  for (const char* text :
       {R"({"arguments":{"pattern":"x","limit":"5"}})", R"({"input":{"pattern":"x","limit":5}})",
        R"({"name":"grep","parameters":{"pattern":"x","limit":5}})",
        R"({"arguments":"{\"pattern\":\"x\",\"limit\":5}"})", R"([{"pattern":"x","limit":5}])",
        R"({"arguments":{"pattern":"x"},"limit":5})"}) {
    Json value = *parse_json(text);
    schema.coerce(value);
    EXPECT_EQ(value, wanted) << text;
  }
  for (const char* text : {R"({"arguments":{"pattern":"x"},"more":5})",
                           R"({"other":{"pattern":"x"}})", R"({"arguments":5})"}) {
    const Json given = *parse_json(text);
    Json value = given;
    schema.coerce(value);
    EXPECT_EQ(value, given) << text;
  }
}

TEST(Coercion, TakesANameInAnotherSpelling) {
  EXPECT_EQ(coerced(R"("start_line":3)"), R"({"startLine":3})");
  EXPECT_EQ(coerced(R"("start-line":"3")"), R"({"startLine":3})") << "its value is coerced too";
  EXPECT_EQ(coerced(R"("StartLine":3)"), R"({"startLine":3})");
  EXPECT_EQ(coerced(R"("offset":3)"), R"({"startLine":3})");
  EXPECT_EQ(coerced(R"("First_Line":3)"), R"({"startLine":3})");
  EXPECT_EQ(coerced(R"("turns":[{"Role":"user"}])"), R"({"turns":[{"role":"user"}]})");
  EXPECT_EQ(coerced(R"("labels":{"start_line":3})"), R"({"labels":{"start_line":3}})");
}

TEST(Coercion, LeavesASpellingThatMayMeanAnotherMember) {
  EXPECT_EQ(coerced(R"("startLine":1,"start_line":3)"), R"({"startLine":1,"start_line":3})");
  EXPECT_EQ(coerced(R"("offset":1,"firstLine":3)"), R"({"firstLine":3,"offset":1})");
  EXPECT_EQ(coerced(R"("NSNAME":"a")"), R"({"NSNAME":"a"})");
  EXPECT_EQ(coerced(R"("start_line":3,"startline":4)"), R"({"start_line":3,"startline":4})");
}

TEST(Coercion, GoesIntoMembersAndItems) {
  EXPECT_EQ(coerced(R"("options":{"depth":"2"},"labels":{"a":"1"})"),
            R"({"labels":{"a":1},"options":{"depth":2}})");
  EXPECT_EQ(coerced(R"("turns":[{"last":"true"}])"), R"({"turns":[{"last":true}]})");
}

TEST(Coercion, LeavesWhatIsNotCertain) {
  EXPECT_EQ(coerced(R"("limit":"five")"), "/limit must be of type integer or null, not string");
  EXPECT_EQ(coerced(R"("limit":5.5)"), "/limit must be of type integer or null, not number");
  EXPECT_EQ(coerced(R"("limit":"5.5")"), "/limit must be of type integer or null, not string");
  EXPECT_EQ(coerced(R"("limit":1e300)"), "/limit must be of type integer or null, not number");
  EXPECT_EQ(coerced(R"("limit":"51")"), "/limit must be at most 50");
  EXPECT_EQ(coerced(R"("limit":true)"), "/limit must be of type integer or null, not boolean");
  EXPECT_EQ(coerced(R"("explain":"maybe")"),
            "/explain must be of type boolean or null, not string");
  EXPECT_EQ(coerced(R"("cursor":7)"), "/cursor must be of type string or null, not number");
  EXPECT_EQ(coerced(R"("resources":"[\"a\"")"),
            "/resources must be of type array or null, not string");
  EXPECT_EQ(coerced(R"("resources":["a",""])"), "/resources/1 must not be empty");
  EXPECT_EQ(coerced(R"("resources":7)"), "/resources must be of type array or null, not number");
  EXPECT_EQ(coerced(R"("options":"[1]")"), "/options must be of type object, not string");
}

TEST(Coercion, KeepsTextAndWhatIsRequired) {
  EXPECT_EQ(coerced(R"("path":"[1]","cursor":"5")"), R"({"cursor":"5","path":"[1]"})");
  EXPECT_EQ(coerced(R"("pattern2":"5")"), R"({"pattern2":"5"})");
  const Schema schema = compiled_schema(kTool);
  Json empty{{"pattern", ""}};
  schema.coerce(empty);
  EXPECT_EQ(empty, (Json{{"pattern", ""}}));
}

TEST(Coercion, OfASchemaFromOutsideDoesNothingIfThatIsNotUsable) {
  Json value("5");
  coerce_by(Json{{"type", "integer"}}, value);
  EXPECT_EQ(value, Json(5));
  Json other("5");
  coerce_by(Json{{"$ref", "#"}}, other);
  EXPECT_EQ(other, Json("5"));
}

}  // namespace
}  // namespace quarry
