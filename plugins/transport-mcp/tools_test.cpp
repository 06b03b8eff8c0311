#include "transport-mcp/tools.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

/// The schemas of an engine with the types "book" and "disc".
const Tools& described_tools() {
  static const Tools kTools(Json::parse(R"({
        "question": {"type": "object", "required": ["question"], "properties": {
          "question": {"type": "string", "minLength": 1, "maxLength": 9, "description": "Any."},
          "resources": {"type": ["array", "null"], "maxItems": 20,
                        "items": {"type": "string", "pattern": "x"}},
          "thread": {"type": "string"}}},
        "resource": {"oneOf": [
          {"required": ["type", "name", "isbn"], "properties": {
            "type": {"const": "book"}, "name": {"type": "string", "description": "Its name."},
            "isbn": {"type": "string", "description": "The number, as printed."},
            "part": {"type": "integer", "description": "A chapter."},
            "owner": {"type": "string", "description": "Whose it is."},
            "specialNotes": {"type": ["string", "null"], "description": "Advice."}}},
          {"required": ["type", "name"], "properties": {
            "type": {"const": "disc"}, "name": {"type": "string", "description": "Its name."},
            "part": {"type": "string", "description": "A track.", "forModels": "what?"},
            "owner": {"type": "string", "description": "Whose it is."},
            "specialNotes": {"type": ["string", "null"], "description": "Advice."}}},
          {"required": ["type", "name"], "properties": {
            "type": {"const": "tape"}, "name": {"type": "string", "description": "Its name."},
            "specialNotes": {"type": ["string", "null"], "description": "Advice."}}}]}})"),
                            Json::parse(R"({"methods": {
        "resources.add": {
          "params": {"type": "object", "required": ["type", "name"],
                     "properties": {"type": {"type": "string"}, "name": {"type": "string"}}},
          "result": {"type": "object", "required": ["type", "name"],
                     "properties": {"type": {"type": "string"}, "name": {"type": "string"}}}},
        "resources.list": {
          "result": {"type": "object", "required": ["resources"],
                     "properties": {"resources": {"type": "array", "items": {"minLength": 7}}}}}}})"),
                            Json::parse(R"({"tools": [
        {"name": "look", "method": "tools.look", "right": "read", "title": "Look",
         "description": "Looks.",
         "params": {"type": "object", "required": ["at"], "properties": {
           "at": {"type": "string"},
           "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 9},
           "form": {"type": "string", "forModels": false}}},
         "result": {"type": "object", "required": ["seen"],
                    "properties": {"seen": {"type": "array"}, "text": {"type": "string"}}}}]})"));
  return kTools;
}

const Json& definition(std::string_view tool) {
  return *described_tools().find(tool)->definition;
}

Json input(std::string_view tool) {
  return definition(tool)["inputSchema"];
}

TEST(Tools, AreListedInAFixedOrderWithAllThatClientsShow) {
  std::vector<std::string> names;
  for (const Tool& tool : described_tools().all()) {
    names.push_back(tool.name);
    const Json& definition = *tool.definition;
    EXPECT_EQ(definition["name"], tool.name);
    EXPECT_EQ(Json::parse(tool.structured_text), definition);
    Json shorter = definition;
    if (!tool.method.empty()) shorter.erase("outputSchema");
    EXPECT_EQ(Json::parse(tool.text), shorter);
    EXPECT_FALSE(definition["title"].get<std::string>().empty());
    EXPECT_LT(definition["description"].get<std::string>().size(), 120U) << "short";
    EXPECT_EQ(definition["annotations"]["destructiveHint"], false);
    EXPECT_EQ(definition["inputSchema"]["type"], "object");
    EXPECT_EQ(definition["inputSchema"]["properties"]["project"]["type"], "string");
    EXPECT_EQ(definition["outputSchema"]["type"], "object");
    // A result with isError has {tag, message, hint}, which official clients validate against
    // this schema.
    EXPECT_EQ(definition["outputSchema"]["anyOf"][1]["required"], Json::array({"tag"}));
    EXPECT_TRUE(definition["outputSchema"]["properties"].contains("hint"));
    EXPECT_TRUE(definition["outputSchema"]["properties"].contains("message"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"listResources", "ask", "addResource", "look"}));
  EXPECT_EQ(described_tools().find("none"), nullptr);
}

// metatool-ai/metamcp and geelen/mcp-remote: names with a prefix; models change their case
TEST(Tools, AreFoundAsClientsWriteThem) {
  for (const char* written :
       {"list_resources", "ListResources", "mcp__quarry__listResources", "quarry_list_resources",
        "quarry-listResources", "quarry.listResources", "mcp_quarry_listresources",
        "server:list-resources"}) {
    ASSERT_NE(described_tools().find(written), nullptr) << written;
    EXPECT_EQ(described_tools().find(written)->name, "listResources") << written;
  }
  EXPECT_EQ(described_tools().find(""), nullptr);
  EXPECT_EQ(described_tools().find("quarry"), nullptr);
}

TEST(Tools, SayWhatTheyDoToTheWorld) {
  const auto hint = [](const char* tool, const char* name) {
    return definition(tool)["annotations"][name].get<bool>();
  };
  EXPECT_TRUE(hint("listResources", "readOnlyHint"));
  EXPECT_TRUE(hint("ask", "readOnlyHint"));
  EXPECT_TRUE(hint("ask", "openWorldHint"));
  EXPECT_FALSE(hint("addResource", "readOnlyHint"));
  EXPECT_TRUE(hint("addResource", "idempotentHint"));
}

TEST(Tools, AskTakesThePartOfAQuestionThatModelsGive) {
  const Json schema = input("ask");
  EXPECT_EQ(schema["required"], Json::array({"question"}));
  EXPECT_EQ(schema["properties"]["question"],
            Json::parse(R"({"type": "string", "description": "Any."})"));
  EXPECT_EQ(schema["properties"]["resources"],
            Json::parse(R"({"type": "array", "items": {"type": "string"}})"));
  EXPECT_FALSE(schema["properties"].contains("thread"));
}

TEST(Tools, AddResourceTakesTheMembersOfEveryType) {
  const Json schema = input("addResource");
  EXPECT_EQ(schema["required"], Json::array({"type", "name"}));
  const Json& members = schema["properties"];
  EXPECT_EQ(members["type"]["enum"], Json::array({"book", "disc", "tape"}));
  EXPECT_EQ(members["name"]["description"], "Its name.") << "all types have it";
  EXPECT_EQ(members["isbn"],
            Json::parse(R"({"type": "string", "description": "book: The number"})"))
      << "required, with the first clause";
  EXPECT_EQ(members["owner"], Json::parse(R"({"type": "string", "description": "book, disc"})"));
  EXPECT_EQ(members["part"],
            Json::parse(R"({"type": ["integer", "string"], "description": "book, disc"})"))
      << "the types' rules differ";
  EXPECT_EQ(members["specialNotes"]["description"], "Advice.");
  EXPECT_EQ(members["notes"]["type"], members["specialNotes"]["type"]);
}

void expect_types(const std::string& where, const Json& schema) {
  EXPECT_TRUE(schema.contains("type")) << where << schema;
  EXPECT_TRUE(schema["type"] != "object" || schema.contains("properties")) << where << schema;
  const Json members = schema.value("properties", Json::object());
  for (const auto& [name, rule] : members.items()) {
    expect_types(where + "." + name, rule);
  }
  for (const char* keyword : {"items", "additionalProperties"}) {
    if (schema.contains(keyword)) expect_types(where + "." + keyword, schema[keyword]);
  }
}

// ggml-org/llama.cpp#19716: servers of models that refuse the whole request
TEST(Tools, EveryPropertyHasAType) {
  for (const Tool& tool : described_tools().all()) expect_types(tool.name, input(tool.name));
  const Tools tools(Json::parse(R"({"resource": {"oneOf": [
      {"properties": {"type": {"const": "a"}, "free": {}, "place": {"type": "string", "enum": ["x"]},
        "headers": {"type": ["object", "null"], "additionalProperties": {"type": "string",
                                                                         "maxLength": 9}}}},
      {"properties": {"type": {"const": "b"}, "place": {"type": "string", "enum": ["y"]},
        "list": {"type": "array", "items": {}},
        "nested": {"type": "object", "properties": {"free": {"minLength": 1}}}}}]}})"),
                    Json::object(), Json::object());
  const Json schema = (*tools.find("addResource")->definition)["inputSchema"];
  expect_types("addResource", schema);
  EXPECT_EQ(schema["properties"]["headers"],
            Json::parse(R"({"type": "object", "additionalProperties": {"type": "string"},
                            "properties": {}, "description": "a"})"));
  EXPECT_EQ(schema["properties"]["nested"]["properties"],
            Json::parse(R"({"free": {"type": "string"}})"));
  EXPECT_EQ(schema["properties"]["place"],
            Json::parse(R"({"type": "string", "description": "a, b"})"));
}

TEST(Tools, AFieldOfATypeHasItsNameAloneInAddResource) {
  const Tools tools(Json::parse(R"({"resource": {"oneOf": [{"properties": {
      "type": {"const": "diary"}, "notes": {"type": "array"}, "project": {"type": "string"},
      "specialNotes": {"type": "string"}}}]}})"),
                    Json::object(), Json::object());
  const Json members = (*tools.find("addResource")->definition)["inputSchema"]["properties"];
  EXPECT_EQ(members["notes"], Json::parse(R"({"type": "array"})"));
  EXPECT_EQ(members["project"], Json::parse(R"({"type": "string"})"));
  EXPECT_EQ(members["_project"]["type"], "string");
}

TEST(Tools, OfTheEngineNeedOnlyItsDescription) {
  const Json look = definition("look");
  EXPECT_EQ(look["title"], "Look");
  EXPECT_EQ(look["description"], "Looks.");
  EXPECT_EQ(look["annotations"]["readOnlyHint"], true);
  const Json schema = input("look");
  EXPECT_EQ(schema["required"], Json::array({"at"}));
  EXPECT_EQ(schema["properties"]["limit"], Json::parse(R"({"type": "integer"})"));
  EXPECT_TRUE(schema["properties"].contains("project"));
  EXPECT_FALSE(schema["properties"].contains("form")) << "not for models";
  EXPECT_FALSE(look["outputSchema"]["properties"].contains("text")) << "it is the content";
  EXPECT_EQ(look["outputSchema"]["anyOf"][0]["required"], Json::array({"seen"}));
}

TEST(Tools, ResultsAreThoseOfTheMethods) {
  const Json list = definition("listResources")["outputSchema"];
  EXPECT_EQ(list["properties"]["resources"]["items"]["minLength"], 7);
  EXPECT_EQ(list["properties"]["total"]["type"], "integer");
  EXPECT_EQ(list["anyOf"][0]["required"], Json::array({"resources"}));
  EXPECT_EQ(definition("addResource")["outputSchema"]["anyOf"][0]["required"],
            Json::array({"type", "name"}));
  EXPECT_EQ(definition("ask")["outputSchema"]["anyOf"][0]["required"],
            Json::array({"answer", "citations"}));
}

TEST(Tools, AnEngineThatDescribesNothingLeavesThemOpen) {
  for (const char* nothing : {"{}", R"({"resource": 1, "question": [], "methods": "none"})",
                              R"({"resource": {"oneOf": []}, "methods": {"resources.add": {}}})"}) {
    const Tools tools(Json::parse(nothing), Json::parse(nothing), Json::parse(nothing));
    EXPECT_EQ(tools.all().size(), 3U);
    for (const Tool& tool : tools.all()) {
      EXPECT_EQ((*tool.definition)["inputSchema"]["properties"].size(), 1U) << tool.text;
      EXPECT_FALSE((*tool.definition)["inputSchema"].contains("required")) << tool.text;
    }
  }
}

}  // namespace
}  // namespace quarry::transport_mcp
