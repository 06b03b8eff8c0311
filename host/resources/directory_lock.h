#pragma once

#include "base/error.h"
#include "base/file.h"

#include <filesystem>

#include <sys/types.h>

namespace quarry::resources {

/// Identity of the directory at a path.
struct DirectoryIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const DirectoryIdentity&, const DirectoryIdentity&) = default;
};
Result<DirectoryIdentity> identity_of(const std::filesystem::path& directory);

/// An advisory lock on a directory itself (flock), respected by other processes. It moves with the
/// directory on a rename, ends with its holder and leaves no file behind. Locks of one process
/// exclude each other too.
class DirectoryLock {
 public:
  using Mode = FileLock::Mode;
  /// kNotFound if there is no such directory, or it was removed or replaced before it was locked;
  /// kUnavailable if another holder excludes the lock.
  static Result<DirectoryLock> try_acquire(const std::filesystem::path& directory, Mode mode);
  /// The same, but waits for other holders.
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
