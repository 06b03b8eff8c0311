#pragma once

#include "base/error.h"

#include <filesystem>
#include <string>
#include <utility>

namespace quarry::plugins {

/// A copy of a shared object in memory of this process that nobody can change, and a path to load
/// it from. What is checked in it is what runs. The dynamic linker knows code by its path, so the
/// path stays taken for as long as the linker keeps what was loaded from it, which may be longer
/// than this lives.
class PrivateCopy {
 public:
  /// Copies at most `most` bytes. `name` is what a debugger and /proc/<pid>/maps call it. [any]
  static Result<PrivateCopy> make(const std::string& name, const std::filesystem::path& file,
                                  std::size_t most);
  PrivateCopy(PrivateCopy&& other) noexcept
      : memory_(std::exchange(other.memory_, -1)), path_(std::move(other.path_)) {}
  PrivateCopy& operator=(PrivateCopy&&) = delete;
  ~PrivateCopy();

  /// Valid for other processes too (debuggers, symbolisers) while this one lives.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit PrivateCopy(int memory);
  int memory_;  ///< descriptor; left open when the linker keeps the path
  std::string path_;
};

}  // namespace quarry::plugins
