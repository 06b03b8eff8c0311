#include "tools.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using mcp::Json;

// A result with isError has {tag, hint}. Official clients validate it against the output schema
// too, so each schema also allows {tag, hint}.
constexpr std::string_view kListResources = R"json({
  "name": "listResources",
  "title": "List resources",
  "description": "Lists the resources (repositories, packages, folders) that questions can be asked about.",
  "inputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "project": {"type": "string", "description": "The project; left out, the token's own"}
    }
  },
  "outputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "resources": {"type": "array", "items": {"type": "object",
        "properties": {"type": {"type": "string"}, "name": {"type": "string"}},
        "required": ["type", "name"]}},
      "total": {"type": "integer", "description": "When some had to be left out: how many there are"},
      "tag": {"type": "string"},
      "hint": {"type": "string"}
    },
    "anyOf": [{"required": ["resources"]}, {"required": ["tag"]}]
  },
  "annotations": {"title": "List resources", "readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": false}
})json";

constexpr std::string_view kAsk = R"json({
  "name": "ask",
  "title": "Ask a question",
  "description": "Answers a question from the contents of the chosen resources, with citations.",
  "inputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "question": {"type": "string", "minLength": 1, "description": "The question, in any language"},
      "resources": {"type": "array", "items": {"type": "string"}, "maxItems": 20,
        "description": "Names of resources to ask about; left out, all of the project"},
      "project": {"type": "string", "description": "The project; left out, the token's own"}
    },
    "required": ["question"]
  },
  "outputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "answer": {"type": "string"},
      "citations": {"type": "array", "items": {"type": "object"}},
      "usage": {"type": "object"},
      "metrics": {"type": "object"},
      "tag": {"type": "string"},
      "hint": {"type": "string"}
    },
    "anyOf": [{"required": ["answer", "citations"]}, {"required": ["tag"]}]
  },
  "annotations": {"title": "Ask a question", "readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": false, "openWorldHint": true}
})json";

constexpr std::string_view kAddResource = R"json({
  "name": "addResource",
  "title": "Add a resource",
  "description": "Adds a git repository, npm package or local folder to the project. The same resource twice is no error.",
  "inputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "type": {"type": "string", "enum": ["git", "local", "npm"]},
      "name": {"type": "string", "minLength": 1, "description": "What the resource is called in questions"},
      "url": {"type": "string", "description": "git: the HTTPS URL of the repository"},
      "branch": {"type": "string", "description": "git: the branch, tag or commit"},
      "searchPath": {"type": ["string", "null"], "description": "git: the only folder to look in"},
      "searchPaths": {"type": ["array", "null"], "items": {"type": "string"}, "description": "git: the only folders to look in"},
      "path": {"type": "string", "description": "local: the absolute path of the folder"},
      "package": {"type": "string", "description": "npm: the name of the package"},
      "version": {"type": ["string", "null"], "description": "npm: a version, range or dist-tag"},
      "specialNotes": {"type": ["string", "null"], "description": "What a reader of the resource should know"},
      "notes": {"type": ["string", "null"], "description": "The same as specialNotes"},
      "project": {"type": "string", "description": "The project; left out, the token's own"}
    },
    "required": ["type", "name"]
  },
  "outputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "type": {"type": "string"},
      "name": {"type": "string"},
      "tag": {"type": "string"},
      "hint": {"type": "string"}
    },
    "anyOf": [{"required": ["type", "name"]}, {"required": ["tag"]}]
  },
  "annotations": {"title": "Add a resource", "readOnlyHint": false, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": true}
})json";

Tool tool(std::string_view name, std::string_view right, std::string_view definition) {
  auto parsed = std::make_shared<const Json>(Json::parse(definition));
  std::string text = mcp::dump(*parsed);
  return {name, right, std::move(parsed), std::move(text)};
}

bool is_of(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

bool is_of_any(const Json& value, const Json& types) {
  if (types.is_string()) return is_of(value, types.get<std::string>());
  return std::ranges::any_of(types,
                             [&](const Json& one) { return is_of(value, one.get<std::string>()); });
}

std::string one_of(const Json& values) {
  std::string all;
  for (const Json& value : values) all += (all.empty() ? "" : ", ") + value.get<std::string>();
  return "must be one of " + all;
}

/// The error in one argument, as the sentence part after its name.
std::optional<std::string> mistake(const Json& value, const Json& schema) {
  const Json* const type = mcp::find(schema, "type");
  if (type != nullptr && !is_of_any(value, *type)) {
    return "must be " + (type->is_string() ? type->get<std::string>() : mcp::dump(*type));
  }
  const Json* const values = mcp::find(schema, "enum");
  if (values != nullptr && std::ranges::find(*values, value) == values->end()) {
    return one_of(*values);
  }
  if (value.is_string() &&
      value.get_ref<const std::string&>().size() < schema.value("minLength", std::size_t{0})) {
    return "must not be empty";
  }
  if (!value.is_array()) return std::nullopt;
  if (value.size() > schema.value("maxItems", value.size())) {
    return "must have at most " + std::to_string(schema.value("maxItems", 0)) + " elements";
  }
  const Json* const items = mcp::find(schema, "items");
  for (const Json& item : value) {
    if (items != nullptr && mistake(item, *items)) return "must hold nothing but strings";
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools{tool("listResources", "list", kListResources),
                                        tool("ask", "ask", kAsk),
                                        tool("addResource", "add", kAddResource)};
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

std::optional<std::string> mistake_in(const Json& arguments, const Json& input_schema) {
  for (const Json& name : input_schema.value("required", Json::array())) {
    if (!arguments.contains(name)) return name.get<std::string>() + " is missing";
  }
  for (const auto& [name, schema] : input_schema["properties"].items()) {
    const Json* const value = mcp::find(arguments, name);
    if (value == nullptr) continue;
    if (auto wrong = mistake(*value, schema)) return name + " " + *wrong;
  }
  return std::nullopt;
}

}  // namespace quarry::transport_mcp
