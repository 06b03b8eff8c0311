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

/// What plugins keep in their caches (quarry/paths.h): each directory directly beneath a plugin's
/// cache is one entry, in use while it is locked; what begins with '.' is being made. Thread-safe.
class PluginCaches {
 public:
  /// `root` holds one directory for each plugin; empty = there are none.
  PluginCaches(std::filesystem::path root, CrashPoint crash_point)
      : root_(std::move(root)), crash_point_(crash_point) {}

  struct Entry {
    std::filesystem::path path;
    Clock::Wall used_at;
    std::uint64_t bytes = 0;
  };
  /// Those that are finished, with their sizes.
  std::vector<Entry> entries();
  /// Those that a plugin is making or changing now, with the bytes they have come to.
  [[nodiscard]] std::vector<Entry> in_the_making() const;
  /// Unless it is in use.
  Result<Removal> remove(const std::filesystem::path& entry) const;
  /// Removes every entry that is not in use, and leftovers.
  Status clear();
  /// Removes what crashed processes left behind.
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
  std::map<std::filesystem::path, Size> sizes_;  // an entry that is used has a new time
};

}  // namespace quarry::resources
