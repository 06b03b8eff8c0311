#pragma once

#include "base/error.h"
#include "resources/directory_lock.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::resources {

/// Called at named moments of cache changes, so that tests can kill the process there.
using CrashPoint = void (*)(std::string_view moment);

/// Removes a directory with everything in it, also beneath directories without write permission. A
/// missing one is not a failure.
Status remove_tree(const std::filesystem::path& directory);

/// A unique name for something to be removed; it begins with '.', like all unfinished entries.
std::string name_for_removal();

/// Directory of work in progress, removed with its contents on destruction. Locked during its
/// lifetime, so that sweep() removes only leftovers of a crash.
class WorkDirectory {
 public:
  static Result<std::unique_ptr<WorkDirectory>> create(const std::filesystem::path& parent);
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Directory to build a snapshot in; initially empty, renamed when published.
  [[nodiscard]] std::filesystem::path snapshot() const { return path_ / "snapshot"; }
  /// Directory for intermediate files. Created on first use.
  Result<std::filesystem::path> scratch();

 private:
  WorkDirectory(std::filesystem::path path, DirectoryLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  DirectoryLock lock_;
};

/// Removes work directories of ended processes beneath `parent`.
void sweep(const std::filesystem::path& parent);

}  // namespace quarry::resources
