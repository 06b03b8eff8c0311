#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/plugin_lock.h"
#include "plugins/registry.h"

#include <optional>
#include <string>

namespace quarry::cli {

/// Source of a plugin: this program, "plugins add", or a directory of plugin_path.
struct PluginOrigin {
  enum class From { kProgram, kAdded, kPath };
  From from = From::kPath;
  std::string words = {};
  std::optional<plugins::LockedPlugin> row = {};  ///< of the lock file, if it was added
  [[nodiscard]] Json json() const;
};

PluginOrigin origin_of(const plugins::Manifest& manifest);

/// kNotFound, with the nearest id of those found; the cause, if the plugin is installed but
/// unusable.
Error unknown_plugin(const std::string& id, const plugins::Found& found);

}  // namespace quarry::cli
