#include "base/schema.h"

#include "base/schema_node.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

namespace quarry {

using List = std::vector<FieldError>;

namespace {

/// Keywords of JSON Schema 2020-12 that restrict values and that Schema does not implement. To
/// ignore one would accept what the schema's author refuses.
constexpr std::string_view kUnsupported[] = {"$dynamicRef",
                                             "$ref",
                                             "allOf",
                                             "contains",
                                             "dependentRequired",
                                             "dependentSchemas",
                                             "else",
                                             "exclusiveMaximum",
                                             "exclusiveMinimum",
                                             "if",
                                             "maxContains",
                                             "maxProperties",
                                             "minContains",
                                             "minProperties",
                                             "multipleOf",
                                             "oneOf",
                                             "patternProperties",
                                             "prefixItems",
                                             "then",
                                             "unevaluatedItems",
                                             "unevaluatedProperties",
                                             "uniqueItems"};

Status check_keywords(const Json& schema, const std::string& at) {
  for (const std::string_view keyword : kUnsupported) {
    if (!schema.contains(keyword)) continue;
    return Error{Code::kInvalidArgument,
                 "not a usable schema: the keyword \"" + std::string(keyword) + "\" at " +
                     child_pointer(at, keyword) + " is not supported",
                 "express the rule with other keywords, or check it in the plugin"};
  }
  return {};
}

/// Readers take integers as int64, which would wrap these.
bool is_beyond_int64(const Json& value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  return type == "integer" && value.is_number_integer() && !is_beyond_int64(value);
}

template <class T>
void take(const Json& schema, const char* key, std::optional<T>& out) {
  if (const auto found = schema.find(key); found != schema.end()) out = found->get<T>();
}

std::string quoted_list(const std::vector<Json>& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(to_text(value));
  return join(texts, ", ");
}

/// "50" of 50.0, as limits of integers are read too.
std::string number_text(double number) {
  const bool is_whole = std::abs(number) < 1e15 && number == std::trunc(number);
  return is_whole ? std::to_string(static_cast<std::int64_t>(number)) : to_text(Json(number));
}

}  // namespace

Status Schema::Node::read(const Json& schema, const std::string& at) {
  if (!schema.is_object()) return Error{Code::kInvalidArgument, "a schema must be an object"};
  if (auto supported = check_keywords(schema, at); !supported) return supported;
  try {
    return read_members(schema, at);
  } catch (const Json::exception& error) {
    return Error{Code::kInvalidArgument, std::string("not a usable schema: ") + error.what()};
  }
}

Status Schema::Node::read_members(const Json& schema, const std::string& at) {
  const auto child = [](const Json& from, std::unique_ptr<Node>& to, const std::string& place) {
    to = std::make_unique<Node>();
    return to->read(from, place);
  };
  const auto member = [&](const char* keyword, std::unique_ptr<Node>& to) -> Status {
    const auto found = schema.find(keyword);
    return found == schema.end() ? Status() : child(*found, to, child_pointer(at, keyword));
  };
  if (const auto type = schema.find("type"); type != schema.end()) {
    types = type->is_array() ? type->get<std::vector<std::string>>()
                             : std::vector{type->get<std::string>()};
  }
  if (schema.contains("const")) constant = schema["const"];
  if (schema.contains("enum")) choices = schema["enum"].get<std::vector<Json>>();
  if (schema.contains("aliases")) aliases = schema["aliases"].get<std::vector<std::string>>();
  if (schema.contains("required")) required = schema["required"].get<std::vector<std::string>>();
  take(schema, "minItems", min_items);
  take(schema, "maxItems", max_items);
  take(schema, "minLength", min_length);
  take(schema, "maxLength", max_length);
  take(schema, "minimum", minimum);
  take(schema, "maximum", maximum);
  if (schema.contains("pattern")) {
    const auto text = schema["pattern"].get<std::string>();
    pattern = std::make_unique<re2::RE2>(text, re2::RE2::Quiet);
    if (!pattern->ok()) return Error{Code::kInvalidArgument, "bad pattern: " + pattern->error()};
    pattern_help =
        schema.value("patternErrorMessage", schema.value("description", "must match " + text));
  }
  if (schema.contains("properties")) {
    const std::string place = child_pointer(at, "properties");
    for (const auto& [name, value] : schema["properties"].items()) {
      Status status = child(value, properties[name], child_pointer(place, name));
      if (!status) return status;
    }
  }
  if (const auto other = schema.find("additionalProperties"); other != schema.end()) {
    if (other->is_boolean()) {
      closed = !other->get<bool>();
    } else if (Status status = member("additionalProperties", other_properties); !status) {
      return status;
    }
  }
  if (schema.contains("anyOf")) {
    const std::string place = child_pointer(at, "anyOf");
    for (const Json& option : schema["anyOf"]) {
      const std::string number = std::to_string(any_of.size());
      Status status = child(option, any_of.emplace_back(), child_pointer(place, number));
      if (!status) return status;
    }
  }
  if (Status status = member("propertyNames", property_names); !status) return status;
  if (Status status = member("not", negated); !status) return status;
  return member("items", items);
}

void Schema::Node::check(const Json& value, const std::string& at, Unknown unknown,
                         List& out) const {
  if (!check_type(value, at, out)) return;
  if (constant && value != *constant) out.push_back({at, "must be " + to_text(*constant)});
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    out.push_back({at, "must be one of " + quoted_list(choices)});
  }
  if (value.is_string()) check_string(value.get_ref<const std::string&>(), at, out);
  if (value.is_number()) check_number(value.get<double>(), at, out);
  if (value.is_array()) check_array(value, at, unknown, out);
  if (value.is_object()) check_object(value, at, unknown, out);
  if (!any_of.empty()) check_any(value, at, unknown, out);
  if (negated) {
    List mistakes;
    negated->check(value, at, unknown, mistakes);
    if (mistakes.empty()) out.push_back({at, "is not allowed"});
  }
}

bool Schema::Node::allows(std::string_view type) const {
  return std::ranges::find(types, type) != types.end();
}

bool Schema::Node::fits(const Json& value) const {
  return types.empty() || std::ranges::any_of(types, [&value](const std::string& type) {
           return is_of_type(value, type);
         });
}

bool Schema::Node::check_type(const Json& value, const std::string& at, List& out) const {
  if (fits(value)) return true;
  const std::string got = is_beyond_int64(value) ? "a number beyond 64 bits" : value.type_name();
  out.push_back({at, "must be of type " + join(types, " or ") + ", not " + got});
  return false;
}

void Schema::Node::check_string(const std::string& text, const std::string& at, List& out) const {
  const std::size_t length = utf8_length(text);
  if (min_length && length < *min_length) {
    out.push_back({at, *min_length == 1 ? "must not be empty"
                                        : "must have at least " + std::to_string(*min_length) +
                                              " characters, not " + std::to_string(length)});
  } else if (max_length && length > *max_length) {
    out.push_back({at, "must have at most " + std::to_string(*max_length) + " characters, not " +
                           std::to_string(length)});
  } else if (pattern && !re2::RE2::PartialMatch(text, *pattern)) {
    out.push_back({at, pattern_help});
  }
}

void Schema::Node::check_number(double number, const std::string& at, List& out) const {
  if (minimum && number < *minimum) {
    out.push_back({at, "must be at least " + number_text(*minimum)});
  } else if (maximum && number > *maximum) {
    out.push_back({at, "must be at most " + number_text(*maximum)});
  }
}

void Schema::Node::check_array(const Json& value, const std::string& at, Unknown unknown,
                               List& out) const {
  if (min_items && value.size() < *min_items) {
    out.push_back({at, "must have at least " + std::to_string(*min_items) + " items"});
  }
  if (max_items && value.size() > *max_items) {
    out.push_back({at, "must have at most " + std::to_string(*max_items) + " items, not " +
                           std::to_string(value.size())});
    return;
  }
  if (!items) return;
  for (std::size_t i = 0; i < value.size(); ++i) {
    items->check(value[i], child_pointer(at, std::to_string(i)), unknown, out);
  }
}

void Schema::Node::check_object(const Json& value, const std::string& at, Unknown unknown,
                                List& out) const {
  for (const std::string& name : required) {
    if (!value.contains(name)) out.push_back({child_pointer(at, name), "is required"});
  }
  for (const auto& [name, member] : value.items()) {
    if (property_names) property_names->check(name, child_pointer(at, name), unknown, out);
    const auto known = properties.find(name);
    if (known != properties.end()) {
      known->second->check(member, child_pointer(at, name), unknown, out);
    } else {
      check_unknown(name, member, at, unknown, out);
    }
  }
}

void Schema::Node::check_unknown(const std::string& name, const Json& value, const std::string& at,
                                 Unknown unknown, List& out) const {
  if (other_properties)
    return other_properties->check(value, child_pointer(at, name), unknown, out);
  if (!closed && unknown == Unknown::kIgnore) return;
  if (properties.empty() && !closed) return;
  std::vector<std::string> names;
  for (const auto& [known, node] : properties) names.push_back(known);
  const auto near = nearest(name, names);
  const std::string others =
      names.empty() ? "nothing can be set here" : "known here: " + join(names, ", ");
  out.push_back({child_pointer(at, name),
                 "is not known; " + (near ? "did you mean \"" + *near + "\"?" : others)});
}

void Schema::Node::check_any(const Json& value, const std::string& at, Unknown unknown,
                             List& out) const {
  List closest;
  for (const auto& option : any_of) {
    List mistakes;
    option->check(value, at, unknown, mistakes);
    if (mistakes.empty()) return;
    // The option with the deepest mistake is most likely the intended one.
    const auto depth = [](const List& list) { return list.front().field.size(); };
    if (closest.empty() || depth(mistakes) > depth(closest)) closest = std::move(mistakes);
  }
  std::move(closest.begin(), closest.end(), std::back_inserter(out));
}

Schema::Schema(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Json& schema) {
  auto root = std::make_unique<Node>();
  if (Status status = root->read(schema, ""); !status) return std::move(status).error();
  return Schema(std::move(root));
}

std::vector<FieldError> Schema::check(const Json& value, Unknown unknown) const {
  List mistakes;
  root_->check(value, "", unknown, mistakes);
  return mistakes;
}

Schema compiled_schema(std::string_view text) {
  return *Schema::compile(*parse_json(text));
}

Result<std::vector<FieldError>> mistakes_by(const Json& schema, const Json& value,
                                            Schema::Unknown unknown) {
  const auto compiled = Schema::compile(schema);
  if (!compiled) return compiled.error();
  return compiled->check(value, unknown);
}

std::string child_pointer(std::string_view parent, std::string_view token) {
  std::string out(parent);
  out += '/';
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

Error invalid(std::string_view what, std::string_view tag, std::vector<FieldError> mistakes) {
  Error error{Code::kInvalidArgument, std::string(what)};
  error.tag = tag;
  if (!mistakes.empty()) {
    const FieldError& first = mistakes.front();
    const std::string_view field =
        std::string_view(first.field).substr(first.field.empty() ? 0 : 1);
    error.message +=
        ": " + (field.empty() ? "" : "\"" + std::string(field) + "\" ") + first.message;
  }
  if (mistakes.size() > 1) {
    error.message += " (and " + std::to_string(mistakes.size() - 1) + " more)";
  }
  error.details = std::move(mistakes);
  return error;
}

}  // namespace quarry
