#pragma once

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/registry.h"
#include "plugins/resource_type.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// The error of every use of a type whose plugin cannot be used: it names the plugin, the cause
/// and the next step. `id`: of the plugin.
Error unavailable_plugin(const std::string& id, Error why);

/// The error of a component that one of `plugins` would offer; nothing if none does.
std::optional<Error> why_unusable(std::span<const UnusablePlugin> plugins, std::string_view kind,
                                  std::string_view name);

/// The type `component` of a plugin that cannot be used, as the plugin's manifest describes it:
/// every function fails with `why`. Its schema is the manifest's, or one that permits every field.
std::shared_ptr<ResourceType> unavailable_type(const Manifest& manifest,
                                               const ManifestComponent& component, Error why);
/// The same for a type that no manifest describes.
std::shared_ptr<ResourceType> missing_type(const std::string& name, Error why);

}  // namespace quarry::plugins
