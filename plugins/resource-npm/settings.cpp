#include "resource-npm/settings.h"

#include "resource-npm/resource.h"

#include <quarry/json.hpp>

namespace quarry::resource_npm {
namespace {

Outcome<std::vector<std::string>> read_registries(std::string_view list) {
  std::vector<std::string> out;
  quarry_json_walk walk{as_text(list), 0};
  quarry_text none{};
  quarry_text value{};
  while (quarry_json_next(&walk, &none, &value)) {
    const auto url = registry_url(json::as_string(as_view(value)).value_or(""));
    if (!url) {
      return field_failure("/registries/" + std::to_string(out.size()),
                           "must be the https URL of a registry",
                           "Write such as \"https://npm.example.com/\".");
    }
    out.push_back(*url);
  }
  if (out.empty()) return field_failure("/registries", "must be a list of URLs of registries");
  return out;
}

}  // namespace

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
  if (!out.registry.empty()) out.registries = {out.registry};
  if (const auto listed = json::member(configuration, "registries")) {
    auto registries = read_registries(*listed);
    if (!registries) return registries.failure();
    out.registries = std::move(*registries);
  }
  out.for_projects = json::string(configuration, "acts_for") == "project";
  if (out.for_projects) out.npmrc = false;
  return out;
}

}  // namespace quarry::resource_npm
