#pragma once

#include "base/json.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

struct stat;

namespace quarry::plugins {

struct Manifest;

/// Descriptions that components gave when they were created, in a file for the next start, which
/// need not load a plugin to know them. Thread-safe.
class KnownDescriptions {
 public:
  /// Reads the file; it may be missing. An empty path keeps no descriptions.
  explicit KnownDescriptions(std::filesystem::path path);

  /// The plugin for the functions below: a digest of all that its descriptions depend on but the
  /// tables of its components. `file`: status of the plugin's file, so that one that was written to
  /// or replaced is loaded at the start, which checks it.
  static std::string plugin_key(const Manifest& manifest, const struct stat& file,
                                std::string_view host_version);

  /// True if a component of the plugin has been described.
  [[nodiscard]] bool has(const std::string& plugin) const;
  /// The description of a component with this table; nothing if it is not known.
  [[nodiscard]] std::optional<Json> find(const std::string& plugin, std::string_view kind,
                                         std::string_view name, std::string_view table) const;
  /// If the file cannot be written, the next start only loads the plugin.
  void add(const std::string& plugin, std::string_view kind, std::string_view name,
           std::string_view table, const Json& description);

 private:
  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  bool begins_anew_ = false;                  ///< the next description replaces the file
  std::map<std::string, std::string> texts_;  ///< by plugin and component
};

}  // namespace quarry::plugins
