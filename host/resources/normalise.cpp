#include "resources/normalise.h"

#include "base/text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_part(std::string_view part) {
  return !part.empty() && is_alphanumeric(part.front()) && std::ranges::all_of(part, [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

Error config_error(std::string field, std::string message, std::string hint) {
  Error error = invalid("the resource", "ConfigError", {{std::move(field), std::move(message)}});
  error.hint = std::move(hint);
  return error;
}

const std::string* text_member(const Json& resource, const char* member) {
  const auto found = resource.find(member);
  return found != resource.end() ? found->get_ptr<const Json::string_t*>() : nullptr;
}

Result<std::shared_ptr<plugins::ResourceType>> type_of(const plugins::ResourceTypes& types,
                                                       const Json& resource) {
  const std::string* type = text_member(resource, "type");
  std::vector<std::string> known;
  for (const auto& [name, unused] : types) known.push_back(name);
  const std::string all = "The types are: " + join(known, ", ") + ".";
  if (type == nullptr) return config_error("/type", "the type is missing", all);
  const auto found = types.find(*type);
  if (found != types.end()) return found->second;
  const auto near = nearest(*type, known);
  return config_error("/type",
                      "there is no type \"" + *type + '"' +
                          (near ? "; did you mean \"" + *near + "\"?" : std::string()),
                      all);
}

/// The members a schema speaks of, and no others; a null is as good as none.
Json fields_of(const Json& resource) {
  Json fields = Json::object();
  for (const auto& [name, value] : resource.items()) {
    if (name != "type" && name != "name" && !value.is_null()) fields[name] = value;
  }
  return fields;
}

void drop_unknown(Json& fields, const Json& schema) {
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return;
  for (auto member = fields.begin(); member != fields.end();) {
    member = properties->contains(member.key()) ? std::next(member) : fields.erase(member);
  }
}

Result<Json> checked_fields(const plugins::ResourceType& type, const Json& resource,
                            Schema::Unknown unknown) {
  const auto json = parse_json(type.describe().schema);
  if (!json) return json.error();
  const auto schema = Schema::compile(*json);
  if (!schema) return schema.error();
  Json fields = fields_of(resource);
  auto mistakes = schema->check(fields, unknown);
  if (!mistakes.empty()) return invalid("the resource", "ConfigError", std::move(mistakes));
  drop_unknown(fields, *json);
  return fields;
}

/// The last part of a reference as a name: "https://example.org/a/docs.git" is "docs.git".
std::string name_of_reference(std::string_view reference) {
  while (reference.ends_with('/')) reference.remove_suffix(1);
  std::string name(reference.substr(reference.rfind('/') + 1).substr(0, kLongestName));
  for (char& c : name) {
    if (!is_alphanumeric(c) && c != '.' && c != '_') c = '-';
  }
  for (auto dots = name.find(".."); dots != name.npos; dots = name.find("..")) name.erase(dots, 1);
  const auto first = std::ranges::find_if(name, is_alphanumeric);
  name.erase(name.begin(), first);
  return name.empty() ? "resource" : name;
}

/// A resource under a name that is checked already.
Result<Json> canonical(const plugins::ResourceTypes& types, const Json& resource,
                       std::string_view name, Schema::Unknown unknown) {
  const auto type = type_of(types, resource);
  if (!type) return type.error();
  auto fields = checked_fields(**type, resource, unknown);
  if (!fields) return fields;
  (*fields)["type"] = resource["type"];
  (*fields)["name"] = name;
  auto value = (*type)->normalise(plugins::Call{}, *fields);
  if (!value && value.error().code == Code::kInvalidArgument) value.error().tag = "ConfigError";
  if (!value) return value;
  (*value)["type"] = resource["type"];
  (*value)["name"] = name;
  return value;
}

}  // namespace

std::optional<std::string_view> name_mistake(std::string_view name) {
  if (name.empty()) return "the name is missing";
  if (name.size() > kLongestName) return "the name is longer than 64 characters";
  if (name.find("..") != name.npos) return "the name may not contain \"..\"";
  const auto parts = split(name.starts_with('@') ? name.substr(1) : name, '/');
  if (std::ranges::all_of(parts, is_name_part)) return std::nullopt;
  return "the name may have letters, digits, \".\", \"_\", \"-\" and \"/\", and each part of it "
         "begins with a letter or digit";
}

Result<Json> normalise(const plugins::ResourceTypes& types, const Json& resource,
                       Schema::Unknown unknown) {
  if (!resource.is_object()) return config_error("", "it is no object", "Give type and name.");
  const std::string* name = text_member(resource, "name");
  const auto mistake = name_mistake(name != nullptr ? *name : std::string_view());
  if (mistake) return config_error("/name", std::string(*mistake), "Choose another name.");
  return canonical(types, resource, *name, unknown);
}

Result<std::optional<Json>> parse_reference(const plugins::ResourceTypes& types,
                                            std::string_view reference) {
  for (const auto& [name, type] : types) {
    auto parsed = type->parse_reference(reference);
    if (!parsed) return std::move(parsed).error();
    if (!*parsed) continue;
    (**parsed)["type"] = name;
    auto value = canonical(types, **parsed, name_of_reference(reference), Schema::Unknown::kIgnore);
    if (!value) return std::move(value).error();
    return std::optional(std::move(*value));
  }
  return std::optional<Json>();
}

}  // namespace quarry::resources
