#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "plugins/registry.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// Plugins in the directories of this configuration; runs none of their code.
plugins::Found find_plugins(const config::Config& config);
/// The program's own plugins, those installed, and those in the directories of `plugin_path`.
plugins::Found find_plugins(const std::vector<std::filesystem::path>& plugin_path);

/// Member of a manifest's component that names a schema file.
using SchemaFile = std::string plugins::ManifestComponent::*;

/// The schema in the manifest for the component `name` of `kind`: nothing if no plugin offers the
/// component, JSON null if it has no schema. The schema of a resource type has the members common
/// to all resources too.
Result<std::optional<Json>> schema_of(const plugins::Found& found, std::string_view kind,
                                      std::string_view name,
                                      SchemaFile file = &plugins::ManifestComponent::schema_file);

/// A type of resource, as the manifest of its plugin describes it.
struct OfferedType {
  std::string name;     ///< "git"
  std::string summary;  ///< of its plugin
  Json schema = {};     ///< of its own fields; null if the manifest names none that can be read
};

/// The types of resources that plugins offer, by name; of two with one name, the first. Runs none
/// of the plugins' code.
std::vector<OfferedType> offered_types(const plugins::Found& found);

/// The fields of these types that an untrusted project file may set, by their schemas.
config::OpenFields open_fields(const std::vector<OfferedType>& types);

}  // namespace quarry::cli
