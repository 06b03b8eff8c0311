#pragma once

#include "base/error.h"
#include "base/file.h"

#include <filesystem>

#include <sys/types.h>

namespace quarry::resources {

/// Which directory a path leads to.
struct DirectoryIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const DirectoryIdentity&, const DirectoryIdentity&) = default;
};
Result<DirectoryIdentity> identity_of(const std::filesystem::path& directory);

/// An advisory lock on a directory itself (flock), which other processes respect. It moves with the
/// directory when that is renamed, ends with its holder, and leaves no file behind. Two locks
/// exclude each other within one process too.
class DirectoryLock {
 public:
  using Mode = FileLock::Mode;
  /// kNotFound when there is no such directory, or it was removed or replaced before it was locked;
  /// kUnavailable when somebody else holds it.
  static Result<DirectoryLock> try_acquire(const std::filesystem::path& directory, Mode mode);
  /// The same, but waits for whoever holds it.
  static Result<DirectoryLock> acquire(const std::filesystem::path& directory, Mode mode);

  [[nodiscard]] const DirectoryIdentity& identity() const { return identity_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  static Result<DirectoryLock> lock(const std::filesystem::path& directory, int operation);
  DirectoryLock(Fd fd, DirectoryIdentity identity) : fd_(std::move(fd)), identity_(identity) {}
  Fd fd_;
  DirectoryIdentity identity_;
};

}  // namespace quarry::resources
