#include "engine/resource_names.h"

#include "engine/requests.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::size_t kMostNameBytes = 48;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string last_part(std::string_view reference) {
  while (reference.size() > 1 && reference.ends_with('/')) reference.remove_suffix(1);
  std::string part(reference.substr(reference.find_last_of("/:") + 1));
  if (part.ends_with(".git")) part.erase(part.size() - 4);
  return part;
}

/// `part` with every run of other characters than the wire's name rule allows as one '-'.
std::string valid_name(const std::string& part) {
  std::string out;
  for (const char c : part) {
    const bool dots = c == '.' && out.ends_with('.');
    if ((is_alphanumeric(c) || c == '.' || c == '_' || c == '-') && !dots) {
      out += c;
    } else if (!out.ends_with('-')) {
      out += '-';
    }
  }
  out.erase(0, std::min(out.find_first_not_of(".-_"), out.size()));
  out.resize(std::min(out.size(), kMostNameBytes));
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "resource" : out;
}

}  // namespace

std::string wire_form(const Json& resource, const Json& schema) {
  nlohmann::ordered_json out;
  out["type"] = resource.value("type", "");
  out["name"] = resource.value("name", "");
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [field, unused] : properties.items()) {
    if (field == "type" || field == "name") continue;
    const auto value = resource.find(field);
    out[field] = value == resource.end() ? Json() : *value;
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string name_for(std::string_view reference, const std::vector<std::string>& taken) {
  const std::string name = valid_name(last_part(reference));
  const auto is_taken = [&](const std::string& candidate) {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const std::string& other) { return same_name(candidate, other); });
  };
  std::string unique = name;
  for (int i = 2; is_taken(unique); ++i) unique = name + "-" + std::to_string(i);
  return unique;
}

}  // namespace quarry::engine
