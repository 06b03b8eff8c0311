#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// A row of the lock file: one version of a plugin that the user installed.
struct LockedPlugin {
  std::string id = {};
  std::string version = {};
  std::string sha256 = {};           ///< of the shared object
  std::string manifest_sha256 = {};  ///< of plugin.toml
  std::string source = {};           ///< folder or archive that it was copied from
  std::string key = {};              ///< minisign public key that signed it; empty = none
};

/// The file plugins.lock.toml: the plugins of one directory that may be loaded. There are two rows
/// of an id only while a version is replaced, so that the version that is there always has one.
class PluginLock {
 public:
  static constexpr std::string_view kFileName = "plugins.lock.toml";

  /// The rows in `directory`; none if the file is missing. kInvalidArgument names the file and the
  /// line. [any]
  static Result<PluginLock> read(const std::filesystem::path& directory);
  /// Replaces the file atomically, rows sorted by id.
  [[nodiscard]] Status write(const std::filesystem::path& directory) const;

  [[nodiscard]] const std::vector<LockedPlugin>& rows() const { return rows_; }
  /// The last row of `id`; null if there is none.
  [[nodiscard]] const LockedPlugin* find(std::string_view id) const;
  /// Fails, with the cause and the next step, unless a row has the digests of `manifest` and of
  /// its file as it is now, the manifest those of its schemas, and it lies in the folder of its
  /// id.
  [[nodiscard]] Status check(const Manifest& manifest) const;

  void add(LockedPlugin row) { rows_.push_back(std::move(row)); }
  void remove(std::string_view id);

 private:
  std::vector<LockedPlugin> rows_;
};

}  // namespace quarry::plugins
