#include "plugins/installed_plugins.h"

#include "base/directory_entries.h"
#include "plugins/compose.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAdding = ".adding-";
constexpr std::string_view kRemoving = ".removing-";
/// Of the temporary file of write_file_atomically for the lock file, which the lock protects too.
constexpr std::string_view kWriting = ".plugins.lock.toml.";

/// Makes the files of a directory durable, which copy_plugin wrote.
Status sync_files(const fs::path& directory) {
  std::error_code failed;
  for (const auto& entry : entries_of(directory, failed)) {
    const Fd file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file || ::fsync(file.get()) != 0) return system_error(entry.path().string(), errno);
  }
  if (failed) return system_error(directory.string(), failed.value());
  return sync_directory(directory);
}

int rename_to(const fs::path& from, const fs::path& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

/// Gives `staged` the name `to`; what had it before gets the name of `staged`.
Status swap_in(const fs::path& staged, const fs::path& to) {
  int failed = rename_to(staged, to, RENAME_NOREPLACE);
  if (failed == EEXIST) failed = rename_to(staged, to, RENAME_EXCHANGE);
  if (failed == 0) return {};
  auto error = system_error("cannot put the plugin into " + to.string(), failed);
  error.hint = failed == EINVAL ? "this file system cannot exchange directories: remove the plugin "
                                  "first, with \"quarry plugins remove\""
                                : "nothing was changed; free disk space or correct the permissions";
  return error;
}

}  // namespace

Result<FileLock> InstalledPlugins::lock() const {
  if (auto made = create_private_directories(directory_); !made) return std::move(made.error());
  return FileLock::acquire(directory_ / ".lock", FileLock::Mode::kExclusive);
}

Result<services::TempDirectory> InstalledPlugins::temporary(std::string_view prefix) const {
  auto made = make_temp_directory(directory_, prefix);
  if (!made) return std::move(made.error());
  return services::TempDirectory(std::move(*made));
}

/// Removes what processes left that were killed. Under the lock.
void InstalledPlugins::sweep() const {
  std::error_code ignored;
  for (const auto& entry : entries_of(directory_)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with(kWriting)) fs::remove(entry.path(), ignored);
    if (!name.starts_with(kAdding) && !name.starts_with(kRemoving)) continue;
    if (!FileLock::try_acquire(entry.path(), FileLock::Mode::kExclusive)) continue;
    fs::remove_all(entry.path(), ignored);
  }
}

Result<StagedPlugin> InstalledPlugins::stage(const fs::path& from) const {
  auto locked = lock();
  if (!locked) return std::move(locked.error());
  sweep();
  auto directory = temporary(kAdding);
  if (!directory) return std::move(directory.error());
  auto in_use = FileLock::try_acquire(directory->path(), FileLock::Mode::kExclusive);
  if (!in_use) return std::move(in_use.error());
  auto manifest = copy_plugin(from, directory->path());
  if (!manifest) return std::move(manifest.error());
  return StagedPlugin{std::move(*directory), std::move(*in_use), std::move(*manifest)};
}

Result<LockedPlugin> InstalledPlugins::install(const StagedPlugin& plugin, LockedPlugin row) const {
  const Manifest& manifest = plugin.manifest;
  row.id = manifest.id;
  row.version = manifest.version;
  row.sha256 = manifest.sha256;
  row.manifest_sha256 = manifest.own_sha256;
  if (auto synced = sync_files(plugin.directory.path()); !synced) return std::move(synced.error());
  const auto locked = lock();
  if (!locked) return locked.error();
  const auto before = PluginLock::read(directory_);
  if (!before) return before.error();
  // Both versions are in the lock file while the folders change places, so that an interruption
  // leaves a version that may be loaded.
  auto rows = *before;
  rows.add(row);
  if (auto written = rows.write(directory_); !written) return std::move(written.error());
  if (auto swapped = swap_in(plugin.directory.path(), folder(row.id)); !swapped) {
    const auto restored = before->write(directory_);
    static_cast<void>(restored);  // the row of a version that is not there permits nothing
    return std::move(swapped.error());
  }
  rows.remove(row.id);
  rows.add(row);
  // The plugin is installed: a row too many is removed by the next change.
  const auto written = rows.write(directory_);
  static_cast<void>(written);
  const auto* replaced = before->find(row.id);
  return replaced == nullptr ? LockedPlugin() : *replaced;
}

Result<LockedPlugin> InstalledPlugins::remove(const std::string& id) const {
  const auto locked = lock();
  if (!locked) return locked.error();
  sweep();
  auto rows = PluginLock::read(directory_);
  if (!rows) return std::move(rows.error());
  const auto* found = rows->find(id);
  auto row = found == nullptr ? LockedPlugin{.id = id} : *found;
  std::error_code ignored;
  const bool exists = is_plugin_id(id) && fs::exists(fs::symlink_status(folder(id), ignored));
  if (found == nullptr && !exists) {
    return Error(Code::kNotFound, compose("plugin \"{}\" is not installed", id));
  }
  auto aside = temporary(kRemoving);
  if (!aside) return std::move(aside.error());
  if (exists && ::rename(folder(id).c_str(), (aside->path() / id).c_str()) != 0) {
    return system_error("cannot remove " + folder(id).string(), errno);
  }
  rows->remove(id);
  if (auto written = rows->write(directory_); !written) return std::move(written.error());
  return row;
}

}  // namespace quarry::plugins
