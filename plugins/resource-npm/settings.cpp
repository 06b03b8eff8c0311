#include "resource-npm/settings.h"

#include "resource-npm/resource.h"

#include <quarry/json.hpp>

namespace quarry::resource_npm {

Outcome<Settings> Settings::read(std::string_view configuration) {
  Settings out;
  if (const auto registry = json::member(configuration, "registry")) {
    const auto url = registry_url(json::as_string(*registry).value_or(""));
    if (!url) {
      return field_failure("/registry", "must be the https URL of a registry",
                           "Write such as \"https://npm.example.com/\".");
    }
    out.registry = *url;
  }
  if (const auto npmrc = json::member(configuration, "npmrc")) {
    if (*npmrc != "true" && *npmrc != "false") {
      return field_failure("/npmrc", "must be true or false");
    }
    out.npmrc = *npmrc == "true";
  }
  return out;
}

}  // namespace quarry::resource_npm
