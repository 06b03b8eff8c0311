#include "cli/component_schemas.h"

#include "base/resource_schema.h"
#include "cli/connection.h"
#include "config/trust_rules.h"

#include <quarry/resource.h>

#include <algorithm>
#include <map>
#include <utility>

namespace quarry::cli {
namespace {

/// Extends the schema of a type's fields to a schema of [[resource]] tables.
Json with_common_members(Json schema) {
  const Json common = *parse_json(kResourceSchema);
  for (const auto& [name, rule] : common["properties"].items()) schema["properties"][name] = rule;
  const Json of_files = *parse_json(kFileMembers);
  for (const auto& [name, rule] : of_files["properties"].items()) {
    schema["properties"].emplace(name, rule);
  }
  return schema;
}

}  // namespace

plugins::Found find_plugins(const std::vector<std::filesystem::path>& plugin_path) {
  const auto installed = installed_plugin_directory();
  std::vector<std::filesystem::path> directories;
  for (const auto& directory : {own_plugin_directory(), installed}) {
    if (!directory.empty()) directories.push_back(directory);
  }
  directories.insert(directories.end(), plugin_path.begin(), plugin_path.end());
  return plugins::find_plugins(directories, installed);
}

plugins::Found find_plugins(const config::Config& config) {
  return find_plugins(config.plugins.path);
}

Result<std::optional<Json>> schema_of(const plugins::Found& found, std::string_view kind,
                                      std::string_view name, SchemaFile file) {
  const auto read =
      [&](const plugins::Manifest& manifest,
          const plugins::ManifestComponent& component) -> Result<std::optional<Json>> {
    auto schema = plugins::read_schema(manifest, component.*file);
    if (!schema) return std::move(schema).error();
    const bool of_resource =
        kind == QUARRY_RESOURCE && file == &plugins::ManifestComponent::schema_file;
    if (of_resource && schema->is_object()) schema = with_common_members(std::move(*schema));
    return std::optional<Json>(std::move(*schema));
  };
  for (const auto& manifest : found.manifests) {
    const auto* component = plugins::find_component(manifest, kind, name);
    if (component != nullptr) return read(manifest, *component);
  }
  for (const auto& [manifest, why] : found.unusable) {
    const auto* component = plugins::find_component(manifest, kind, name);
    if (component != nullptr) return read(manifest, *component);
  }
  return std::optional<Json>();
}

std::vector<OfferedType> offered_types(const plugins::Found& found) {
  std::map<std::string, OfferedType> types;
  for (const auto& manifest : found.manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind != QUARRY_RESOURCE || types.contains(component.name)) continue;
      auto schema = plugins::read_schema(manifest, component.schema_file);
      types[component.name] = {component.name, manifest.summary,
                               std::move(schema).value_or(Json())};
    }
  }
  std::vector<OfferedType> out;
  for (auto& [name, type] : types) out.push_back(std::move(type));
  return out;
}

Result<plugins::Found> find_plugins(const CommonOptions& common) {
  const auto config = config::load(config_sources(common));
  if (!config) return config.error();
  return find_plugins(*config);
}

std::vector<OfferedType> offered_types(const CommonOptions& common) {
  const auto config = config::load(config_sources(common));
  if (!config) return offered_types(find_plugins(config::Config()));
  plugins::Found found = find_plugins(*config);
  std::erase_if(found.manifests, [&](const plugins::Manifest& manifest) {
    return std::ranges::find(config->plugins.disabled, manifest.id) !=
           config->plugins.disabled.end();
  });
  return offered_types(found);
}

config::OpenFields open_fields(const std::vector<OfferedType>& types) {
  config::OpenFields out;
  const Json of_files = (*parse_json(kFileMembers))["properties"];
  for (const OfferedType& type : types) {
    const Json fields = type.schema.is_object() ? type.schema.value("properties", Json()) : Json();
    for (const auto& [field, rule] : fields.items()) {
      std::string open = config::rule_of_field(rule);
      // A plugin may have another schema when it is loaded, without the field.
      if (!open.empty() && !of_files.contains(field)) out[type.name][field] = std::move(open);
    }
  }
  return out;
}

}  // namespace quarry::cli
