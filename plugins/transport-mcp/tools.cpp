#include "tools.h"

#include "principal.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";

/// The part of a tool that no schema of the engine contains.
constexpr std::string_view kListResources = R"json({
  "name": "listResources",
  "title": "List resources",
  "description": "Lists the resources (repositories, packages, folders) that questions can be asked about.",
  "annotations": {"title": "List resources", "readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": false}
})json";

constexpr std::string_view kAsk = R"json({
  "name": "ask",
  "title": "Ask a question",
  "description": "Answers a question from the contents of the chosen resources, with citations.",
  "annotations": {"title": "Ask a question", "readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": false, "openWorldHint": true}
})json";

constexpr std::string_view kAddResource = R"json({
  "name": "addResource",
  "title": "Add a resource",
  "description": "Adds a resource of one of the types to the project. The same resource twice is no error.",
  "annotations": {"title": "Add a resource", "readOnlyHint": false, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": true}
})json";

/// The result of `ask`, which this server makes from the last event of a question.
constexpr std::string_view kAskResult = R"json({
  "type": "object",
  "required": ["answer", "citations"],
  "properties": {
    "answer": {"type": "string"},
    "citations": {"type": "array", "items": {"type": "object"}},
    "finishReason": {"type": "string"},
    "usage": {"type": "object"},
    "metrics": {"type": "object"}
  }
})json";

/// The schema at `keys` in `described`, or one of any object.
Json schema_at(const Json& described, std::initializer_list<const char*> keys) {
  const Json* found = &described;
  for (const char* key : keys) {
    if (found != nullptr) found = mcp::find(*found, key);
  }
  return found != nullptr && found->is_object() ? *found : Json{{"type", "object"}};
}

/// The keywords of a member's schema that a model can follow; the engine checks all of them.
Json shown(const Json& rule) {
  Json out = Json::object();
  for (const char* keyword :
       {"type", "enum", "items", "minLength", "maxItems", "minimum", "maximum", "description"}) {
    const Json* const value = mcp::find(rule, keyword);
    if (value != nullptr)
      out[keyword] = keyword == std::string_view("items") ? shown(*value) : *value;
  }
  return out;
}

/// Members of `schema` with the names in `only`; all of them if it is empty.
Json members_of(const Json& schema, std::span<const char* const> only) {
  Json out = Json::object();
  const Json* const members = mcp::find(schema, "properties");
  if (members == nullptr || !members->is_object()) return out;
  for (const auto& [name, rule] : members->items()) {
    if (only.empty() || std::ranges::find(only, name) != only.end()) out[name] = shown(rule);
  }
  return out;
}

/// An input schema. Every tool takes the name of a project, by another name where a type of
/// resource has a field of the usual one.
Json input_schema(Json members, const Json& required) {
  members[members.contains(kProject) ? kReservedProject : kProject] = {
      {"type", "string"}, {"description", "The project; left out, the token's own"}};
  Json out{{"$schema", kDialect}, {"type", "object"}, {"properties", std::move(members)}};
  if (!required.empty()) out["required"] = required;
  return out;
}

/// A schema for the result, or for {tag, hint}: a result with isError has these, and official
/// clients validate it against the output schema too.
Json output_schema(const Json& result, Json more = Json::object()) {
  Json members = result.value("properties", Json::object());
  members.update(more);
  members.update({{"tag", {{"type", "string"}}}, {"hint", {{"type", "string"}}}});
  const Json required = result.value("required", Json::array());
  return {{"$schema", kDialect},
          {"type", "object"},
          {"properties", std::move(members)},
          {"anyOf", Json::array({Json{{"required", required}}, Json{{"required", {"tag"}}}})}};
}

/// A member that resources of some types have.
struct Member {
  std::vector<std::string> types;
  std::vector<Json> rules;  // one a type

  /// Its schema, where there are `count` types: the description names the types unless all have the
  /// member. Of rules that differ only the descriptions are kept.
  [[nodiscard]] Json schema(std::size_t count) const {
    std::string description;
    if (std::ranges::adjacent_find(rules, std::not_equal_to<>()) != rules.end()) {
      for (std::size_t i = 0; i < types.size(); ++i) {
        description += (i == 0 ? "" : " ") + types[i] + ": " + description_of(rules[i]);
      }
      return {{"description", std::move(description)}};
    }
    Json out = rules.front();
    if (types.size() == count) return out;
    for (const std::string& type : types) description += (description.empty() ? "" : ", ") + type;
    out["description"] = description + ": " + description_of(out);
    return out;
  }

 private:
  static std::string description_of(const Json& rule) {
    return mcp::find_string(rule, "description");
  }
};

/// The members of every type of resource in `variants`, each a schema with its type as a constant.
Json members_of_types(const Json& variants) {
  std::map<std::string, Member> members;
  Json types = Json::array();
  for (const Json& variant : variants) {
    const std::string type = mcp::find_string(schema_at(variant, {"properties", "type"}), "const");
    types.push_back(type);
    const Json own = members_of(variant, {});
    for (const auto& [name, rule] : own.items()) {
      members[name].types.push_back(type);
      members[name].rules.push_back(rule);
    }
  }
  Json out = Json::object();
  for (const auto& [name, member] : members) out[name] = member.schema(types.size());
  out["type"] = {{"type", "string"}, {"enum", std::move(types)}};
  return out;
}

Json add_resource_input(const Json& schemas, const Json& params) {
  Json members = members_of(params, {});
  const Json resource = schema_at(schemas, {"resource"});
  const Json* const variants = mcp::find(resource, "oneOf");
  if (variants != nullptr && variants->is_array() && !variants->empty()) {
    members.update(members_of_types(*variants));
  }
  const Json* const notes = mcp::find(members, "specialNotes");
  if (notes != nullptr && !members.contains("notes")) {
    Json same = *notes;
    same["description"] = "The same as specialNotes.";
    members["notes"] = std::move(same);
  }
  return input_schema(std::move(members), params.value("required", Json::array()));
}

Tool tool(std::string_view right, std::string_view definition, Json input, Json output) {
  Json whole = Json::parse(definition);
  whole["inputSchema"] = std::move(input);
  whole["outputSchema"] = std::move(output);
  std::string text = mcp::dump(whole);
  std::string name = whole["name"];
  return {std::move(name), std::string(right), std::make_shared<const Json>(std::move(whole)),
          std::move(text)};
}

/// The schemas of members, of which models need not know that null counts as omitted.
Json without_null(Json members) {
  for (auto& [name, rule] : members.items()) {
    Json* const type = rule.contains("type") ? &rule["type"] : nullptr;
    if (type == nullptr || !type->is_array()) continue;
    type->erase(std::ranges::remove(*type, Json("null")).begin(), type->end());
    if (type->size() == 1) *type = Json(type->front());
  }
  return members;
}

/// A retrieval tool, as the engine describes it.
Tool retrieval_tool(const Json& described) {
  const std::string title = mcp::find_string(described, "title");
  const Json params = schema_at(described, {"params"});
  const Json definition{{"name", mcp::find_string(described, "name")},
                        {"title", title},
                        {"description", mcp::find_string(described, "description")},
                        {"annotations",
                         {{"title", title},
                          {"readOnlyHint", true},
                          {"destructiveHint", false},
                          {"idempotentHint", true},
                          {"openWorldHint", true}}}};
  Tool made = tool(
      mcp::find_string(described, "right"), mcp::dump(definition),
      input_schema(without_null(members_of(params, {})), params.value("required", Json::array())),
      output_schema(schema_at(described, {"result"})));
  made.method = mcp::find_string(described, "method");
  return made;
}

}  // namespace

TypeFields fields_of_types(const Json& schemas) {
  TypeFields out;
  const Json resource = schema_at(schemas, {"resource"});
  const Json* const variants = mcp::find(resource, "oneOf");
  if (variants == nullptr || !variants->is_array()) return out;
  for (const Json& variant : *variants) {
    auto& fields = out[mcp::find_string(schema_at(variant, {"properties", "type"}), "const")];
    const Json properties = schema_at(variant, {"properties"});
    for (const auto& [name, rule] : properties.items()) fields.insert(name);
  }
  return out;
}

Tools::Tools(const Json& schemas, const Json& methods, const Json& retrieval) {
  const Json list = schema_at(methods, {"methods", "resources.list", "result"});
  const Json add = schema_at(methods, {"methods", "resources.add"});
  const Json question = schema_at(schemas, {"question"});
  tools_.push_back(tool("list", kListResources, input_schema(Json::object(), {}),
                        output_schema(list, {{"total",
                                              {{"type", "integer"},
                                               {"description",
                                                "When some had to be left out: how many there "
                                                "are"}}}})));
  tools_.push_back(tool("ask", kAsk,
                        input_schema(members_of(question, kQuestionArguments),
                                     question.value("required", Json::array())),
                        output_schema(Json::parse(kAskResult))));
  tools_.push_back(tool("add", kAddResource,
                        add_resource_input(schemas, schema_at(add, {"params"})),
                        output_schema(schema_at(add, {"result"}))));
  const Json* const more = mcp::find(retrieval, "tools");
  if (more == nullptr || !more->is_array()) return;
  for (const Json& described : *more) tools_.push_back(retrieval_tool(described));
}

const Tool* Tools::find(std::string_view name) const {
  const auto found = std::ranges::find(tools_, name, &Tool::name);
  return found == tools_.end() ? nullptr : &*found;
}

}  // namespace quarry::transport_mcp
