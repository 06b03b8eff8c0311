#include "tools.h"

#include "principal.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

/// The part of a tool that no schema of the engine contains.
constexpr std::string_view kListResources = R"json({
  "name": "listResources",
  "title": "List resources",
  "description": "Lists the resources (repositories, packages, folders) to ask about.",
  "annotations": {"readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": false}
})json";

constexpr std::string_view kAsk = R"json({
  "name": "ask",
  "title": "Ask a question",
  "description": "Answers a question from the resources, with citations.",
  "annotations": {"readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": false, "openWorldHint": true}
})json";

constexpr std::string_view kAddResource = R"json({
  "name": "addResource",
  "title": "Add a resource",
  "description": "Adds a resource. Members of one type alone are described by its name.",
  "annotations": {"readOnlyHint": false, "destructiveHint": false,
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

/// The schema of a member, of which models need not know that null counts as omitted.
Json without_null(Json rule) {
  const auto type = rule.find("type");
  if (type == rule.end() || !type->is_array()) return rule;
  type->erase(std::ranges::remove(*type, Json("null")).begin(), type->end());
  if (type->size() == 1) *type = Json(type->front());
  return rule;
}

/// The rule with what some model servers insist on: a type, and properties of an object. The engine
/// reads text as what is meant.
Json completed(Json rule) {
  if (!rule.contains("type")) rule["type"] = "string";
  if (rule["type"] == "object" && !rule.contains("properties")) {
    rule["properties"] = Json::object();
  }
  return rule;
}

Json members_of(const Json& schema, std::span<const char* const> only);

/// The keywords of a member's schema that a model needs; the engine checks all of them, and its
/// errors tell limits.
Json shown(const Json& rule) {
  Json out = Json::object();
  for (const char* keyword : {"type", "enum", "items", "additionalProperties", "description"}) {
    const Json* const value = mcp::find(rule, keyword);
    if (value != nullptr) out[keyword] = value->is_object() ? shown(*value) : *value;
  }
  if (rule.is_object() && rule.contains("properties")) out["properties"] = members_of(rule, {});
  return completed(without_null(std::move(out)));
}

/// A name without its case and separators, and without the prefix that a gateway put before it:
/// "mcp__quarry__list_resources" is "listresources".
std::string spelling(std::string_view name) {
  const std::size_t mark = name.rfind("__");
  name.remove_prefix(mark == name.npos ? 0 : mark + 2);
  name.remove_prefix(name.find_last_of(".:/") + 1);  // npos + 1 is 0
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if (c != '_' && c != '-' && c != ' ' && (c < 'A' || c > 'Z')) out += c;
  }
  for (const std::string_view prefix : {"mcp", "quarry"}) {
    if (out.starts_with(prefix)) out.erase(0, prefix.size());
  }
  return out;
}

/// A plugin's schema may have anything as this member.
bool is_for_models(const Json& rule) {
  const Json* const said = mcp::find(rule, "forModels");
  return said == nullptr || *said != Json(false);
}

/// Members of `schema` with the names in `only`; all of them if it is empty.
Json members_of(const Json& schema, std::span<const char* const> only) {
  Json out = Json::object();
  const Json* const members = mcp::find(schema, "properties");
  if (members == nullptr || !members->is_object()) return out;
  for (const auto& [name, rule] : members->items()) {
    const bool wanted = only.empty() || std::ranges::find(only, name) != only.end();
    if (wanted && is_for_models(rule)) out[name] = shown(rule);
  }
  return out;
}

/// An input schema. Every tool takes the name of a project, by another name where a type of
/// resource has a field of the usual one.
Json input_schema(Json members, const Json& required) {
  members[members.contains(kProject) ? kReservedProject : kProject] = {{"type", "string"}};
  Json out{{"type", "object"}, {"properties", std::move(members)}};
  if (!required.empty()) out["required"] = required;
  return out;
}

/// A schema for the result, or for {tag, message, hint}: a result with isError has these, and
/// official clients validate it against the output schema too.
Json output_schema(const Json& result, Json more = Json::object()) {
  Json members = result.value("properties", Json::object());
  members.update(more);
  for (const char* member : {"tag", "message", "hint"}) members[member] = {{"type", "string"}};
  const Json required = result.value("required", Json::array());
  return {{"type", "object"},
          {"properties", std::move(members)},
          {"anyOf", Json::array({Json{{"required", required}}, Json{{"required", {"tag"}}}})}};
}

/// A member that resources of some types have.
struct Member {
  std::vector<std::string> types;
  std::vector<Json> rules;   // one a type
  bool is_required = false;  // by one of the types

  /// Its schema, where there are `count` types. The description names the types unless all have the
  /// member. A member that no type requires has no other description, unless all have it.
  [[nodiscard]] Json schema(std::size_t count) const {
    const bool differ = std::ranges::adjacent_find(rules, std::not_equal_to<>()) != rules.end();
    Json out = differ ? common_rule() : rules.front();
    if (types.size() == count && !differ) return out;
    if (!is_required) {
      out["description"] = names();
    } else if (differ) {
      out["description"] = descriptions();
    } else {
      out["description"] = names() + ": " + description_of(rules.front());
    }
    return out;
  }

 private:
  /// The keywords in which the rules agree, and the types of all.
  [[nodiscard]] Json common_rule() const {
    Json out = Json::object();
    for (const auto& [keyword, value] : rules.front().items()) {
      const bool agreed = std::ranges::all_of(rules, [&](const Json& rule) {
        const Json* const other = mcp::find(rule, keyword);
        return other != nullptr && *other == value;
      });
      if (agreed) out[keyword] = value;
    }
    if (!out.contains("type")) out["type"] = all_types();
    return completed(std::move(out));
  }
  [[nodiscard]] Json all_types() const {
    std::set<Json> out;
    for (const Json& rule : rules) {
      const Json& type = rule["type"];
      if (type.is_array()) out.insert(type.begin(), type.end());
      if (!type.is_array()) out.insert(type);
    }
    return out;
  }
  [[nodiscard]] std::string names() const {
    std::string out;
    for (const std::string& type : types) out += (out.empty() ? "" : ", ") + type;
    return out;
  }
  [[nodiscard]] std::string descriptions() const {
    std::string out;
    for (std::size_t i = 0; i < types.size(); ++i) {
      out += (i == 0 ? "" : "; ") + types[i] + ": " + description_of(rules[i]);
    }
    return out;
  }
  /// The first clause of the description.
  static std::string description_of(const Json& rule) {
    std::string text = mcp::find_string(rule, "description");
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_end = i + 1 == text.size() || text[i + 1] == ' ';
      if (is_end && std::string_view(",;.").contains(text[i])) return text.substr(0, i);
    }
    return text;
  }
};

/// The members of every type of resource in `variants`, each a schema with its type as a constant.
Json members_of_types(const Json& variants) {
  std::map<std::string, Member> members;
  Json types = Json::array();
  for (const Json& variant : variants) {
    const std::string type = mcp::find_string(schema_at(variant, {"properties", "type"}), "const");
    types.push_back(type);
    const Json required = variant.value("required", Json::array());
    const Json own = members_of(variant, {});
    for (const auto& [name, rule] : own.items()) {
      Member& member = members[name];
      member.types.push_back(type);
      member.rules.push_back(rule);
      member.is_required |= std::ranges::find(required, Json(name)) != required.end();
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
    same["description"] = "specialNotes";
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
  return {.name = std::move(name),
          .right = std::string(right),
          .definition = std::make_shared<const Json>(std::move(whole)),
          .text = text,
          .structured_text = text};
}

/// A retrieval tool, as the engine describes it.
Tool retrieval_tool(const Json& described) {
  const std::string title = mcp::find_string(described, "title");
  const Json params = schema_at(described, {"params"});
  Json result = schema_at(described, {"result"});
  if (result.contains("properties")) result["properties"].erase("text");  // it is the content
  const Json definition{{"name", mcp::find_string(described, "name")},
                        {"title", title},
                        {"description", mcp::find_string(described, "description")},
                        {"annotations",
                         {{"readOnlyHint", true},
                          {"destructiveHint", false},
                          {"idempotentHint", true},
                          {"openWorldHint", true}}}};
  Tool made = tool(mcp::find_string(described, "right"), mcp::dump(definition),
                   input_schema(members_of(params, {}), params.value("required", Json::array())),
                   output_schema(result));
  made.method = mcp::find_string(described, "method");
  Json shorter = *made.definition;
  shorter.erase("outputSchema");
  made.text = mcp::dump(shorter);
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
  const auto found = std::ranges::find_if(
      tools_, [meant = spelling(name)](const Tool& tool) { return spelling(tool.name) == meant; });
  return found == tools_.end() ? nullptr : &*found;
}

}  // namespace quarry::transport_mcp
