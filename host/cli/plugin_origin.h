#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/registry.h"

#include <string>

namespace quarry::cli {

/// Source of a plugin: this program, or a directory of plugin_path.
struct PluginOrigin {
  enum class From { kProgram, kPath };
  From from = From::kPath;
  std::string words = {};
  [[nodiscard]] Json json() const;
};

PluginOrigin origin_of(const plugins::Manifest& manifest);

/// kNotFound, with the nearest id of those found; the cause, if the plugin is installed but
/// unusable.
Error unknown_plugin(const std::string& id, const plugins::Found& found);

}  // namespace quarry::cli
