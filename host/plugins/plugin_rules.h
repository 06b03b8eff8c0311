#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

struct RegistryOptions;

/// True for ids of the program's own plugins, which no other plugin may have.
[[nodiscard]] bool is_own_id(std::string_view id);

/// True if this host uses components of the kind. Others are left out, and their plugin is loaded.
[[nodiscard]] bool is_known_kind(std::string_view kind);

/// True for plugins with a transport or store. Only a start of the host replaces them, because what
/// they serve cannot change hands, and they cannot be isolated.
[[nodiscard]] bool starts_with_host(const Manifest& manifest);

/// Rules about plugins that were found, from their manifests and the configuration alone. [any]
struct PluginRules {
  std::vector<std::filesystem::path> own_directories;  ///< whose plugins came with the host
  bool drafts = false;                        ///< others may have components of draft kinds too
  std::map<std::string, std::string> pinned;  ///< id -> SHA-256
  std::map<std::string, std::string> isolation = {};  ///< as in RegistryOptions
  bool can_isolate = false;  ///< otherwise only plugins that ask for it are isolated

  static PluginRules of(const RegistryOptions& options);
  [[nodiscard]] bool is_own(const Manifest& manifest) const;
  /// True if the plugin runs in a process of its own.
  [[nodiscard]] bool is_isolated(const Manifest& manifest) const;
  /// Fails, with the plugin, the cause and the next step, unless the plugin may be loaded beside
  /// those of `loaded`, which were found before it.
  [[nodiscard]] Status check(const Manifest& manifest,
                             const std::vector<const Manifest*>& loaded) const;
};

}  // namespace quarry::plugins
