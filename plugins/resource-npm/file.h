#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::resource_npm {

/// An owned descriptor; -1 = none, with errno set.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File();
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// False on failure, with errno set.
bool write_whole(int fd, std::string_view bytes);

/// All bytes from the beginning; nullopt when there are more than `most`, or reading fails.
std::optional<std::string> read_whole(int fd, std::size_t most);

/// A whole file, mapped for reading.
class Mapped {
 public:
  explicit Mapped(const std::filesystem::path& path);
  ~Mapped();
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  /// Empty when the file is empty or cannot be read.
  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace quarry::resource_npm
