#include "resources/plugin_caches.h"

#include "base/directory_entries.h"
#include "resources/directory_lock.h"
#include "resources/disk_usage.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace quarry::resources {
namespace fs = std::filesystem;
using Mode = DirectoryLock::Mode;

namespace {

bool is_unfinished(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

std::vector<fs::path> directories_in(const fs::path& parent) {
  std::vector<fs::path> found;
  for (const auto& entry : entries_of(parent)) {
    std::error_code ignored;
    if (entry.symlink_status(ignored).type() == fs::file_type::directory) {
      found.push_back(entry.path());
    }
  }
  return found;
}

std::vector<fs::path> directories_of_plugins(const fs::path& root) {
  std::vector<fs::path> found;
  if (root.empty()) return found;
  for (const fs::path& plugin : directories_in(root)) {
    for (fs::path& directory : directories_in(plugin)) found.push_back(std::move(directory));
  }
  return found;
}

}  // namespace

std::vector<PluginCaches::Entry> PluginCaches::entries() {
  std::vector<Entry> found;
  std::map<fs::path, Size> sizes;
  for (fs::path& path : directories_of_plugins(root_)) {
    if (is_unfinished(path)) continue;
    const auto times = times_of(path);
    if (!times) continue;
    const Size size = size_of(path, times->modified_at);
    sizes.emplace(path, size);
    found.push_back({std::move(path), times->modified_at, size.bytes});
  }
  std::lock_guard lock(mutex_);
  sizes_ = std::move(sizes);
  return found;
}

std::vector<PluginCaches::Entry> PluginCaches::unfinished() const {
  std::vector<Entry> found;
  for (fs::path& path : directories_of_plugins(root_)) {
    // Readers hold a shared lock.
    if (!is_unfinished(path) && DirectoryLock::try_acquire(path, Mode::kShared)) continue;
    const std::uint64_t bytes = disk_usage(path);
    found.push_back({std::move(path), {}, bytes});
  }
  return found;
}

/// A repository may have very many files, so they are counted again only after a use.
PluginCaches::Size PluginCaches::size_of(const fs::path& entry, Clock::Wall modified_at) {
  {
    std::lock_guard lock(mutex_);
    const auto known = sizes_.find(entry);
    if (known != sizes_.end() && known->second.modified_at == modified_at) return known->second;
  }
  return {modified_at, disk_usage(entry)};
}

Result<Removal> PluginCaches::remove(const fs::path& entry) const {
  const auto lock = DirectoryLock::try_acquire(entry, Mode::kExclusive);
  if (!lock) return outcome_of(lock.error());
  const fs::path removed = entry.parent_path() / name_for_removal();
  if (std::rename(entry.c_str(), removed.c_str()) != 0) {
    return system_error("cannot remove " + entry.string(), errno);
  }
  if (crash_point_ != nullptr) crash_point_("evicting");
  Status done = remove_tree(removed);
  if (!done) return std::move(done).error();
  return Removal::kRemoved;
}

Status PluginCaches::clear() {
  for (const fs::path& entry : directories_of_plugins(root_)) {
    if (is_unfinished(entry)) continue;
    const auto removed = remove(entry);
    if (!removed) return removed.error();
  }
  sweep_leftovers();
  return {};
}

void PluginCaches::sweep_leftovers() {
  for (const fs::path& directory : directories_of_plugins(root_)) {
    if (!is_unfinished(directory)) continue;
    const auto lock = DirectoryLock::try_acquire(directory, Mode::kExclusive);
    if (lock) static_cast<void>(remove_tree(directory));
  }
}

}  // namespace quarry::resources
