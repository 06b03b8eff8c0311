#include "engine/resource_names.h"

#include "engine/requests.h"
#include "engine/resource_types.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
std::string wire_form(const Json& resource, const Json& schema) {
  nlohmann::ordered_json out;
  out["type"] = resource.value("type", "");
  out["name"] = resource.value("name", "");
  const Json properties = wire_schema(schema)["properties"];
  for (const auto& [field, rule] : properties.items()) {
    if (field == "type" || field == "name") continue;
    const auto value = resource.find(field);
    const bool set = value != resource.end() && !value->is_null();
    out[field] = set ? *value : rule.value("default", Json());
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string distinct_name(const std::string& name, const std::vector<std::string>& taken) {
  const auto is_taken = [&](const std::string& candidate) {
    return std::ranges::any_of(
        taken, [&](const std::string& other) { return same_name(candidate, other); });
  };
  std::string unique = name;
  for (int i = 2; is_taken(unique); ++i) unique = name + "-" + std::to_string(i);
  return unique;
}

}  // namespace quarry::engine
