#include "transport-mcp/tools.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

TEST(Tools, AreListedInAFixedOrderWithAllThatClientsShow) {
  std::vector<std::string_view> names;
  for (const Tool& tool : tools()) {
    names.push_back(tool.name);
    const Json& definition = *tool.definition;
    EXPECT_EQ(definition["name"], tool.name);
    EXPECT_FALSE(definition["title"].get<std::string>().empty());
    EXPECT_LT(definition["description"].get<std::string>().size(), 120U) << "short";
    EXPECT_EQ(definition["annotations"]["destructiveHint"], false);
    EXPECT_EQ(definition["inputSchema"]["type"], "object");
    EXPECT_TRUE(definition["inputSchema"]["properties"].contains("project"));
    EXPECT_EQ(definition["outputSchema"]["type"], "object");
    // A result with isError has {tag, hint}, which official clients validate against this schema.
    EXPECT_EQ(definition["outputSchema"]["anyOf"][1]["required"], Json::array({"tag"}));
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"listResources", "ask", "addResource"}));
}

TEST(Tools, SayWhatTheyDoToTheWorld) {
  const auto hint = [](const char* tool, const char* name) {
    return (*find_tool(tool)->definition)["annotations"][name].get<bool>();
  };
  EXPECT_TRUE(hint("listResources", "readOnlyHint"));
  EXPECT_TRUE(hint("ask", "readOnlyHint"));
  EXPECT_TRUE(hint("ask", "openWorldHint"));
  EXPECT_FALSE(hint("addResource", "readOnlyHint"));
  EXPECT_TRUE(hint("addResource", "idempotentHint"));
  EXPECT_EQ(find_tool("none"), nullptr);
}

TEST(Tools, MistakesNameTheArgument) {
  for (const auto& [tool, arguments, mistake] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
           {"ask", "{}", "question is missing"},
           {"ask", R"({"question":1})", "question must be string"},
           {"ask", R"({"question":null})", "question must be string"},
           {"ask", R"({"question":""})", "question must not be empty"},
           {"ask", R"({"question":"q","resources":"r"})", "resources must be array"},
           {"ask", R"({"question":"q","resources":[1]})",
            "resources must hold nothing but strings"},
           {"ask", R"({"question":"q","project":7})", "project must be string"},
           {"addResource", R"({"name":"n"})", "type is missing"},
           {"addResource", R"({"type":"svn","name":"n"})", "type must be one of git, local, npm"},
           {"addResource", R"({"type":"git"})", "name is missing"},
           {"addResource", R"({"type":"git","name":"n","notes":1})",
            R"(notes must be ["string","null"])"},
           {"listResources", R"({"project":[]})", "project must be string"}}) {
    const auto found =
        mistake_in(Json::parse(arguments), (*find_tool(tool)->definition)["inputSchema"]);
    ASSERT_TRUE(found) << arguments;
    EXPECT_EQ(*found, mistake);
  }
}

TEST(Tools, WhatIsRightOrUnknownPasses) {
  for (const auto& [tool, arguments] : std::vector<std::pair<const char*, const char*>>{
           {"ask", R"({"question":"q"})"},
           {"ask", R"({"question":"q","resources":["a"],"project":"p","more":1})"},
           {"listResources", "{}"},
           {"addResource", R"({"type":"npm","name":"n","package":"p","version":null})"},
           {"addResource", R"({"type":"git","name":"n","searchPaths":["a","b"]})"}}) {
    EXPECT_EQ(mistake_in(Json::parse(arguments), (*find_tool(tool)->definition)["inputSchema"]),
              std::nullopt)
        << arguments;
  }
  std::string many = R"({"question":"q","resources":["a")";
  for (int i = 0; i < 20; ++i) many += ",\"a\"";
  EXPECT_EQ(mistake_in(Json::parse(many + "]}"), (*find_tool("ask")->definition)["inputSchema"]),
            "resources must have at most 20 elements");
}

}  // namespace
}  // namespace quarry::transport_mcp
