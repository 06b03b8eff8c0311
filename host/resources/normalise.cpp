#include "resources/normalise.h"

#include "base/resource_schema.h"
#include "base/text.h"
#include "resources/refresh.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace quarry::resources {
namespace {

constexpr std::size_t kLongestName = 48;  // leaves space for a number suffix

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::vector<std::string> names_of(const plugins::ResourceTypes& types) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : types) names.push_back(name);
  return names;
}

/// Words for a resource in an error.
std::string of_type(const std::string& type) {
  return "the resource of type \"" + type + '"';
}

Error refusal(const plugins::ResourceTypes& types, std::vector<FieldError> mistakes) {
  Error error = invalid("the resource", "ConfigError", std::move(mistakes));
  error.hint =
      "A resource has a name and a type. The types are: " + join(names_of(types), ", ") + ".";
  return error;
}

Result<std::shared_ptr<plugins::ResourceType>> type_of(const plugins::ResourceTypes& types,
                                                       const std::string& type) {
  const auto found = types.find(type);
  if (found != types.end()) return found->second;
  const auto near = nearest(type, names_of(types));
  return refusal(types, {{"/type", "there is no type \"" + type + '"' +
                                       (near ? "; did you mean \"" + *near + "\"?" : "")}});
}

/// The resource without its null members.
Json without_nulls(const Json& resource) {
  if (!resource.is_object()) return resource;
  Json members = Json::object();
  for (const auto& [name, value] : resource.items()) {
    if (!value.is_null()) members[name] = value;
  }
  return members;
}

/// Members that the schema of a type covers.
Json fields_of(const Json& resource) {
  Json fields = without_host_members(resource);
  fields.erase("type");
  fields.erase("name");
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
  Json fields = fields_of(resource);
  auto mistakes = mistakes_by(*json, fields, unknown);
  if (!mistakes) return std::move(mistakes).error();
  if (!mistakes->empty()) {
    return invalid(of_type(type.describe().type), "ConfigError", std::move(*mistakes));
  }
  drop_unknown(fields, *json);
  return fields;
}

std::string last_part(std::string_view reference) {
  while (reference.size() > 1 && reference.ends_with('/')) reference.remove_suffix(1);
  std::string part(reference.substr(reference.find_last_of("/:") + 1));
  if (part.ends_with(".git")) part.erase(part.size() - 4);
  return part;
}

/// Converts `text` to one part of a name: "my docs" becomes "my-docs". Every run of invalid
/// characters becomes one '-'.
std::string name_part(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool dots = c == '.' && name.ends_with('.');
    if ((is_alphanumeric(c) || c == '.' || c == '_' || c == '-') && !dots) {
      name += c;
    } else if (!name.ends_with('-')) {
      name += '-';
    }
  }
  name.erase(name.begin(), std::ranges::find_if(name, is_alphanumeric));
  name.resize(std::min(name.size(), kLongestName));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Converts a name suggested by a plugin to a valid name, "@scope/name" included.
std::string valid_name(std::string_view wanted) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(wanted, '/')) {
    if (std::string name = name_part(part); !name.empty()) parts.push_back(std::move(name));
  }
  std::string name = (wanted.starts_with('@') && !parts.empty() ? "@" : "") + join(parts, "/");
  return name.size() > kLongestName ? name_part(last_part(wanted)) : name;
}

/// Name of a resource: the plugin's suggestion, otherwise the last part of the reference.
std::string name_of(const Json& parsed, std::string_view reference) {
  const auto wanted = parsed.find("name");
  std::string name = wanted != parsed.end() && wanted->is_string()
                         ? valid_name(wanted->get_ref<const std::string&>())
                         : name_part(last_part(reference));
  return name.empty() ? "resource" : name;
}

/// Canonical form of a resource whose type is a string and whose name is already checked.
Result<Json> canonical(const plugins::ResourceTypes& types, const Json& resource,
                       std::string_view name, Schema::Unknown unknown, const services::Call& call) {
  const auto type = type_of(types, resource["type"]);
  if (!type) return type.error();
  if (const Error* const unusable = (*type)->unusable()) return *unusable;
  auto fields = checked_fields(**type, resource, unknown);
  if (!fields) return fields;
  (*fields)["type"] = resource["type"];
  (*fields)["name"] = name;
  auto value = (*type)->normalise(call, *fields);
  if (!value && value.error().code == Code::kInvalidArgument) {
    return std::move(value).error().in(of_type((*type)->describe().type)).tagged("ConfigError");
  }
  if (!value) return value;
  (*value)["type"] = resource["type"];
  (*value)["name"] = name;
  // No part of the source (source_of), so a type may leave it out.
  if (const auto notes = fields->find("specialNotes"); notes != fields->end()) {
    value->emplace("specialNotes", *notes);
  }
  value->update(host_members(resource));
  return value;
}

using MaybeRecognised = std::optional<plugins::Recognised>;

Result<MaybeRecognised> recognise_as(plugins::ResourceType& type, const std::string& name,
                                     std::string_view reference, const services::Call& call) {
  auto parsed = type.parse_reference(call, reference);
  if (parsed && *parsed) (*parsed)->resource["type"] = name;
  return parsed;
}

/// The reading of the type that the beginning of the reference names ("git:…").
Result<MaybeRecognised> recognise_named(plugins::ResourceType& type, const std::string& name,
                                        std::string_view reference, const services::Call& call) {
  auto whole = recognise_as(type, name, reference, call);
  if (!whole || *whole) return whole;
  return recognise_as(type, name, reference.substr(name.size() + 1), call);
}

/// The reference in `text`, which is copied with blanks and quotes around it, as a link of Markdown
/// or with the stop of its sentence.
std::string_view copied_reference(std::string_view text) {
  constexpr std::array<std::string_view, 5> kPairs = {"<>", "\"\"", "''", "``", "()"};
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(')') && text.contains("](")) {
    text = text.substr(text.find("](") + 1);
  }
  if (text.contains("://") && text.ends_with('.')) text.remove_suffix(1);
  const auto wraps = [&text](std::string_view pair) {
    return text.size() > 2 && text.front() == pair.front() && text.back() == pair.back();
  };
  return std::ranges::any_of(kPairs, wraps) ? trim(text.substr(1, text.size() - 2)) : text;
}

Result<MaybeRecognised> recognise(const plugins::ResourceTypes& types, std::string_view reference,
                                  const OnProblem& problem, const services::Call& call) {
  const auto named = types.find(reference.substr(0, reference.find(':')));
  if (named != types.end() && reference.contains(':')) {
    return recognise_named(*named->second, named->first, reference, call);
  }
  MaybeRecognised best;
  std::optional<Error> failure;
  for (const auto& [name, type] : types) {
    if (type->unusable() != nullptr) continue;
    auto parsed = recognise_as(*type, name, reference, call);
    if (!parsed) {
      problem("the resource type " + name + " cannot read a reference: " + parsed.error().message);
      if (!failure) failure = std::move(parsed).error();
    } else if (*parsed && (!best || (*parsed)->confidence > best->confidence)) {
      best = std::move(*parsed);
    }
  }
  if (!best && failure) return *failure;
  return best;
}

}  // namespace

Result<Json> normalise(const plugins::ResourceTypes& types, const Json& resource,
                       Schema::Unknown unknown, const std::string& project) {
  static const Schema common = compiled_schema(kResourceSchema);
  const Json given = without_nulls(resource);
  auto mistakes = common.check(given, Schema::Unknown::kIgnore);
  if (!mistakes.empty()) return refusal(types, std::move(mistakes));
  return canonical(types, given, given["name"].get_ref<const std::string&>(), unknown,
                   {.project = project});
}

Result<std::optional<Json>> parse_reference(const plugins::ResourceTypes& types,
                                            std::string_view pasted, const OnProblem& problem,
                                            const std::string& project) {
  const services::Call call{.project = project};
  const std::string_view reference = copied_reference(pasted);
  auto recognised = recognise(types, reference, problem, call);
  if (!recognised) return std::move(recognised).error();
  if (!*recognised) return std::optional<Json>();
  const Json& resource = (*recognised)->resource;
  auto value =
      canonical(types, resource, name_of(resource, reference), Schema::Unknown::kIgnore, call);
  if (!value) return std::move(value).error();
  return std::optional(std::move(*value));
}

}  // namespace quarry::resources
