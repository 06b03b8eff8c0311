#pragma once

#include <quarry/outcome.hpp>
#include <quarry/resource.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include <sys/stat.h>

namespace quarry::resource_local {

/// One regular file that is read as a resource of its own.
class File {
 public:
  /// `path` is a real path: a link in its place is refused.
  static Outcome<File> open(const std::filesystem::path& path);
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  /// Differs whenever the file was written or replaced.
  [[nodiscard]] std::string version() const;
  /// Adds it under its name; one larger than the limit without its content.
  [[nodiscard]] std::optional<Failure> add_to(Tree& tree) const;

 private:
  File(std::filesystem::path path, int descriptor) : path_(std::move(path)), fd_(descriptor) {}

  std::filesystem::path path_;
  int fd_;
  struct stat facts_ = {};
};

}  // namespace quarry::resource_local
