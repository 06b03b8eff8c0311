#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

struct stat;

namespace quarry {

/// An owned file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A whole file mapped read-only and shared, so several processes share its pages. Any process that
/// may write the file can change the bytes at any moment; pages that become unreadable, as after a
/// truncation, read as zeros (mapping_guard.h).
class MappedFile {
 public:
  MappedFile() = default;
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        state_(std::exchange(other.state_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~MappedFile();
  [[nodiscard]] std::string_view bytes() const {
    return {static_cast<const char*>(data_), state_.size};
  }
  /// True if the file has been written to or cut since it was opened, or a page of it could not be
  /// read. A write is not seen once the path leads to another file, or to none. One system call.
  [[nodiscard]] bool has_changed() const;

 private:
  struct State {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::size_t size = 0;
    std::int64_t modified_ns = 0;
  };
  static State state_of(const struct stat& status);

  std::filesystem::path path_;
  void* data_ = nullptr;
  State state_;
};

/// The bytes of a regular file of at most `limit` bytes (kResourceExhausted beyond).
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = 64u << 20);

/// Writes all of `bytes`; the error names no file.
Status write_all(int fd, std::string_view bytes);

/// Seals a file of memfd_create, after which nobody can change it. 0, or the number of the failure.
int seal_memory_file(int fd);

/// Replaces `path` in one step: a temporary file beside it, fsync, rename, fsync of the directory.
/// A crash at any moment leaves the old bytes or the new ones. Mode 0600 for a new file, the old
/// file's mode otherwise.
Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Sets mode 0600 on a file that holds private state. kPermissionDenied if it belongs to another
/// user, if others may write to it (their bytes cannot be told from the owner's) or if it is not a
/// regular file, or a link that leads to none; kNotFound if there is none. Does not open the file.
Status restrict_to_owner(const std::filesystem::path& path);

/// Makes the entries of `directory` durable.
Status sync_directory(const std::filesystem::path& directory);

/// Creates a directory and its missing parents, each with mode 0700; one that exists is left as it
/// is.
Status create_private_directories(const std::filesystem::path& directory);

/// A new empty directory beneath `parent`, its name starting with `prefix`, mode 0700.
Result<std::filesystem::path> make_temp_directory(const std::filesystem::path& parent,
                                                  std::string_view prefix);

/// An advisory lock on a file between processes (flock), released by destruction. It also excludes
/// other FileLocks of this process.
class FileLock {
 public:
  enum class Mode { kShared, kExclusive };
  /// Waits for the lock on a file, created with mode 0600 if absent, or on a directory.
  static Result<FileLock> acquire(const std::filesystem::path& path, Mode mode);
  /// Like acquire, but fails at once with kUnavailable when the lock is held.
  static Result<FileLock> try_acquire(const std::filesystem::path& path, Mode mode);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace quarry
