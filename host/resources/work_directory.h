#pragma once

#include "base/error.h"
#include "resources/directory_lock.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::resources {

/// Called at named moments of changing the cache, so that tests can end the process there.
using CrashPoint = void (*)(std::string_view moment);

/// Removes a directory with everything in it, also beneath directories without write permission.
/// A missing one is no failure.
Status remove_tree(const std::filesystem::path& directory);

/// A name under which something waits for its removal: nobody else's, and it begins with '.', as
/// that of whatever is not whole.
std::string name_for_removal();

/// A directory of one piece of work in progress, removed with its contents by destruction. Locked
/// while it lives, so that whoever sweeps leaves it alone and takes what a crash left behind.
class WorkDirectory {
 public:
  static Result<std::unique_ptr<WorkDirectory>> create(const std::filesystem::path& parent);
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Where a snapshot is made: an empty directory, until it is renamed away.
  [[nodiscard]] std::filesystem::path snapshot() const { return path_ / "snapshot"; }
  /// An empty directory for files on their way. Made on first use.
  Result<std::filesystem::path> scratch();

 private:
  WorkDirectory(std::filesystem::path path, DirectoryLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  DirectoryLock lock_;
};

/// Removes what no living process works on beneath `parent`.
void sweep(const std::filesystem::path& parent);

}  // namespace quarry::resources
