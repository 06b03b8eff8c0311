#pragma once

#include "base/error.h"
#include "base/file.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// A folder whose contents are opened by relative path and never through a link, so that nothing
/// outside can be reached even while it is being rearranged. Thread-safe.
class Beneath {
 public:
  /// `root` itself may be a link, because the user named it.
  static Result<Beneath> open(const std::filesystem::path& root);
  Beneath(Beneath&& other) noexcept
      : root_(std::move(other.root_)), access_time_(other.access_time_.load()) {}

  /// Opens for reading without blocking (a FIFO) and, where permitted, without changing the access
  /// time. `path` is normalised; "" is the root. The result need not be a regular file.
  Result<Fd> open_file(const std::string& path) const;
  Result<Fd> open_directory(const std::string& path) const;

  /// The bytes of a regular file of at most `limit` bytes (kResourceExhausted beyond).
  Result<std::string> read(const std::string& path, std::size_t limit) const;

  /// Actual path of the root; empty if the system does not report it.
  [[nodiscard]] std::filesystem::path path() const;

  [[nodiscard]] int fd() const { return root_.get(); }

 private:
  explicit Beneath(Fd root) : root_(std::move(root)) {}
  Fd root_;
  mutable std::atomic<bool> access_time_ = false;  ///< O_NOATIME was refused once
};

/// Equivalent of openat2 with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, name by name, for systems
/// without it. -1 and errno on failure.
int open_step_by_step(int root, std::string_view path, int flags);

}  // namespace quarry::corpus
