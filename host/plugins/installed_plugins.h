#pragma once

#include "base/error.h"
#include "base/file.h"
#include "plugins/manifest.h"
#include "plugins/plugin_lock.h"
#include "services/paths.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Copies plugin.toml, the files that it names and its signature, if there is one, from one
/// directory to another, and returns the copied manifest. Nothing else is read: only regular files
/// of bounded size, through no link. [control]
Result<Manifest> copy_plugin(const std::filesystem::path& from, const std::filesystem::path& to);

/// Files beside the manifest that it names as schemas.
[[nodiscard]] std::set<std::string> schema_files(const Manifest& manifest);

/// A copy of a plugin that is not installed yet; removed on destruction.
struct StagedPlugin {
  services::TempDirectory directory;
  FileLock in_use;  ///< tells other processes that this one still needs the directory
  Manifest manifest;
};

/// The plugins that a user installed: a folder for each, by id, and their lock file. Processes may
/// change it at the same time. [control]
class InstalledPlugins {
 public:
  /// `directory`: absolute; created when it is needed.
  explicit InstalledPlugins(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Copies the plugin in the directory `from` into a private directory beside the installed ones,
  /// where it is not found.
  [[nodiscard]] Result<StagedPlugin> stage(const std::filesystem::path& from) const;
  /// Puts the staged plugin in the place of its id, in one step. If it fails or is interrupted,
  /// the version before stays. `row` describes it; its id, version and digests are filled in.
  /// Returns the row that it replaced, with an empty id if there was none.
  [[nodiscard]] Result<LockedPlugin> install(const StagedPlugin& plugin, LockedPlugin row) const;
  /// Removes the plugin and its row, which is returned; kNotFound if there is neither.
  [[nodiscard]] Result<LockedPlugin> remove(const std::string& id) const;

  [[nodiscard]] std::filesystem::path folder(std::string_view id) const { return directory_ / id; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  [[nodiscard]] Result<FileLock> lock() const;
  [[nodiscard]] Result<services::TempDirectory> temporary(std::string_view prefix) const;
  void sweep() const;

  std::filesystem::path directory_;
};

}  // namespace quarry::plugins
