#include "cli/type_fields.h"

#include "base/json_member.h"
#include "base/printable.h"
#include "base/resource_schema.h"
#include "base/text.h"
#include "cli/key_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace quarry::cli {
namespace {

constexpr const char* kNoPrefix = "--no-";
constexpr const char* kJson = "JSON";

// Schemas come from plugins: no member has a known type.

/// A member of `object`; null if there is none, or `object` is something else.
Json member(const Json& object, const char* name) {
  return object.is_object() ? object.value(name, Json()) : Json();
}

/// The types that values of a rule may have, without "null"; empty = any.
std::vector<std::string> types_of(const Json& rule) {
  const Json type = member(rule, "type");
  std::vector<std::string> out;
  for (const Json& name : type.is_array() ? type : Json::array({type})) {
    if (name.is_string() && name != "null") out.push_back(name);
  }
  return out;
}

bool is_only(const Json& rule, const char* type) {
  return types_of(rule) == std::vector<std::string>{type};
}

/// "--search-path" of "searchPath"; empty for a name that cannot be an option.
std::string flag_of(std::string_view name) {
  std::string out = "--";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_upper = std::isupper(byte) != 0;
    if (is_upper && std::islower(static_cast<unsigned char>(out.back())) != 0) out += '-';
    if (!is_upper && std::isalnum(byte) == 0 && c != '-' && c != '_') return {};
    out += c == '_' ? '-' : static_cast<char>(std::tolower(byte));
  }
  return out.size() > 2 && out[2] != '-' ? out : std::string();
}

/// The permitted texts of a rule; empty = any.
std::vector<std::string> choices_of(const Json& rule) {
  std::vector<std::string> out;
  for (const Json& value : member(rule, "enum")) {
    if (value.is_string()) out.push_back(value);
  }
  return out;
}

bool is_boolean(const Json& rule) {
  return is_only(rule, "boolean");
}

bool is_list(const Json& rule) {
  return is_only(rule, "array");
}

bool is_table(const Json& rule) {
  return is_only(rule, "object");
}

bool is_list_of_tables(const Json& rule) {
  return is_list(rule) && is_table(member(rule, "items"));
}

Error wrong_json(const std::string& flag, const char* form) {
  return Error{Code::kInvalidArgument, flag + ": is not a JSON object" + form,
               "Write such as: " + flag + " '{\"name\": \"value\"}'"}
      .tagged("ConfigError");
}

Result<Json> table_of(const std::string& flag, const std::string& text) {
  auto json = parse_json(text);
  if (!json || !json->is_object()) return wrong_json(flag, "");
  return std::move(*json);
}

/// Appends the object in `text`, or each of the objects in its array.
Status append_tables(const std::string& flag, const std::string& text, Json& list) {
  auto json = parse_json(text);
  if (json && json->is_object()) json = Json::array({std::move(*json)});
  const auto is_object = [](const Json& each) { return each.is_object(); };
  if (!json || !json->is_array() || !std::ranges::all_of(*json, is_object)) {
    return wrong_json(flag, " or an array of objects");
  }
  if (list.is_null()) list = Json::array();
  list.insert(list.end(), json->begin(), json->end());
  return {};
}

/// "required", "default: 3", or nothing.
std::string need_of(const Json& rule, bool required) {
  if (required) return "required";
  const std::string words = text_of(rule, "defaultDescription");
  if (!words.empty()) return "default: " + plain_text(words);
  const Json value = member(rule, "default");
  return value.is_null() ? std::string() : "default: " + to_text(value);
}

std::string help_of(const Json& rule, bool required) {
  std::string text = plain_text(text_of(rule, "description"));
  while (text.ends_with('.')) text.pop_back();
  const std::string need = need_of(rule, required);
  const bool both = !text.empty() && !need.empty();
  return printable_line(text + (both ? "; " : "") + need);
}

bool is_secret(const Json& rule) {
  return member(rule, "writeOnly") == true;
}

}  // namespace

TypeFields::TypeFields(const Json& schema, const std::vector<std::string>& taken) {
  const Json properties = member(schema, "properties");
  if (!properties.is_object()) return;
  const Json common = (*parse_json(kResourceSchema))["properties"];
  const Json required = member(schema, "required");
  std::vector<std::string> names = taken;
  for (const bool first : {true, false}) {
    for (const auto& [name, rule] : properties.items()) {
      const bool must = std::find(required.begin(), required.end(), name) != required.end();
      if (must == first && !common.contains(name)) add({name, rule, must}, names);
    }
  }
}

void TypeFields::add(Field field, std::vector<std::string>& taken) {
  if (is_secret(field.rule)) return secrets_.push_back(field.name);
  field.flag = flag_of(field.name);
  std::vector<std::string> flags{field.flag};
  if (is_boolean(field.rule)) flags.push_back(kNoPrefix + field.flag.substr(2));
  const bool is_free = std::ranges::find_first_of(flags, taken) == flags.end();
  if (field.flag.empty() || !field.rule.is_object() || !is_free) {
    return others_.push_back(field.name);
  }
  taken.insert(taken.end(), flags.begin(), flags.end());
  fields_.push_back(std::move(field));
}

std::vector<Option> TypeFields::options() {
  std::vector<Option> out;
  for (Field& field : fields_) out.push_back(option_of(field));
  return out;
}

Option TypeFields::option_of(Field& field) {
  const Json& rule = field.rule;
  Option option{field.flag, "", help_of(rule, field.required), &field.text, {}};
  if (is_boolean(rule)) {
    option.names += std::string(",!") + kNoPrefix + field.flag.substr(2);
    option.target = &field.flagged;
  } else if (is_list(rule)) {
    option.target = &field.texts;
    option.rules = {.one_each = true, .one_of = choices_of(member(rule, "items"))};
    if (is_list_of_tables(rule)) option.argument = kJson;
  } else if (is_table(rule)) {
    option.argument = kJson;
  } else {
    option.rules.one_of = choices_of(rule);
  }
  return option;
}

bool TypeFields::is_given(const Field& field) {
  return field.flagged || field.text || !field.texts.empty();
}

bool TypeFields::empty() const {
  return std::ranges::none_of(fields_, is_given);
}

std::vector<std::string> TypeFields::missing(const NamedValues& others) const {
  std::vector<std::string> out;
  for (const Field& field : fields_) {
    if (!field.required || is_given(field)) continue;
    const auto is_it = [&](const auto& other) { return other.first == field.name; };
    if (std::ranges::none_of(others, is_it)) out.push_back(field.flag);
  }
  return out;
}

Status TypeFields::set(const Field& field, Json& fields) {
  if (field.flagged) fields[field.name] = *field.flagged;
  if (field.text && is_table(field.rule)) {
    auto table = table_of(field.flag, *field.text);
    if (!table) return std::move(table).error();
    fields[field.name] = std::move(*table);
  } else if (field.text) {
    fields[field.name] = field_value(field.rule, *field.text);
  }
  for (const std::string& text : field.texts) {
    Json& list = fields[field.name];
    if (!is_list_of_tables(field.rule)) {
      list.push_back(field_value(member(field.rule, "items"), text));
    } else if (Status added = append_tables(field.flag, text, list); !added) {
      return added;
    }
  }
  return {};
}

Result<Json> TypeFields::given() const {
  Json out = Json::object();
  for (const Field& field : fields_) {
    if (Status done = set(field, out); !done) return std::move(done).error();
  }
  return out;
}

std::string TypeFields::notes() const {
  std::string out;
  if (!secrets_.empty())
    out += "Set in the configuration file only: " + join(secrets_, ", ") + "\n";
  if (!others_.empty()) out += "Set with --field: " + join(others_, ", ") + "\n";
  return printable(out);
}

Json field_value(const Json& rule, const std::string& text) {
  const auto types = types_of(rule);
  const bool is_literal = text == "true" || text == "false" || text.starts_with('[');
  const bool may_be_text = types.empty() ? !is_literal : std::ranges::count(types, "string") > 0;
  if (may_be_text) return text;
  const auto json = parse_json(text);
  return json ? *json : Json(text);
}

}  // namespace quarry::cli
