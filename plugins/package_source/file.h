#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::package_source {

/// An open file, which is closed with this object. Empty when it could not be opened, with errno
/// set.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();

  /// Opens a file to read it; a symbolic link is refused.
  static File open(const std::filesystem::path& path);
  /// Opens a file to write and read it, and makes it if there is none.
  static File create(const std::filesystem::path& path);
  /// A file without a name, for hosts without a folder.
  static File in_memory();

  explicit operator bool() const { return descriptor_ >= 0; }
  [[nodiscard]] std::uint64_t size() const;
  /// Reads up to `count` bytes at `offset`; their number, 0 at the end, -1 on failure.
  [[nodiscard]] std::int64_t read_some(std::uint64_t offset, char* out, std::size_t count) const;
  /// `count` bytes at `offset`; nullopt when the file does not have them.
  [[nodiscard]] std::optional<std::string> read(std::uint64_t offset, std::uint64_t count) const;
  /// The whole file; nullopt when it has more than `most` bytes, or cannot be read.
  [[nodiscard]] std::optional<std::string> read_whole(std::uint64_t most) const;
  /// False on failure, with errno set.
  [[nodiscard]] bool write(std::uint64_t offset, std::string_view bytes) const;
  [[nodiscard]] bool truncate() const;

 private:
  int descriptor_ = -1;
};

}  // namespace quarry::package_source
