#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "resources/removal.h"
#include "resources/work_directory.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace quarry::resources {

/// Entries of plugins' caches (quarry/paths.h): each directory directly beneath a plugin's cache is
/// one entry, in use while it is locked; a name that begins with '.' marks an unfinished one.
/// Thread-safe.
class PluginCaches {
 public:
  /// `root` holds one directory for each plugin; empty = no caches.
  PluginCaches(std::filesystem::path root, CrashPoint crash_point)
      : root_(std::move(root)), crash_point_(crash_point) {}

  struct Entry {
    std::filesystem::path path;
    Clock::Wall used_at;
    std::uint64_t bytes = 0;
  };
  /// Finished entries with their sizes.
  std::vector<Entry> entries();
  /// Entries that a plugin is creating or changing now, with their current sizes.
  [[nodiscard]] std::vector<Entry> unfinished() const;
  /// Removes the entry unless it is in use.
  Result<Removal> remove(const std::filesystem::path& entry) const;
  /// Removes every entry that is not in use, and leftovers.
  Status clear();
  /// Removes leftovers of crashed processes.
  void sweep_leftovers();

 private:
  struct Size {
    Clock::Wall modified_at;
    std::uint64_t bytes = 0;
  };
  Size size_of(const std::filesystem::path& entry, Clock::Wall modified_at);

  const std::filesystem::path root_;
  const CrashPoint crash_point_;
  std::mutex mutex_;
  std::map<std::filesystem::path, Size> sizes_;  // recomputed when `modified_at` changes
};

}  // namespace quarry::resources
