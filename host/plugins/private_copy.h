#pragma once

#include "base/error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::plugins {

/// An immutable copy of a shared object in memory of this process, and a path to load it from, so
/// that the checked bytes are those that run. The dynamic linker identifies code by its path, so
/// the path stays in use while the linker keeps the code, possibly longer than this object.
class PrivateCopy {
 public:
  /// Copies at most `most` bytes. `name` is shown by debuggers and /proc/<pid>/maps. [any]
  static Result<PrivateCopy> make(const std::string& name, const std::filesystem::path& file,
                                  std::size_t most);
  /// The same from the descriptor `opened` of `file`, at its beginning.
  static Result<PrivateCopy> make(const std::string& name, const std::filesystem::path& file,
                                  std::size_t most, int opened);
  /// Unpacks what zstd has compressed, at most `most` bytes of it. [any]
  static Result<PrivateCopy> unpack(const std::string& name, std::string_view compressed,
                                    std::size_t most);
  PrivateCopy(PrivateCopy&& other) noexcept
      : memory_(std::exchange(other.memory_, -1)), path_(std::move(other.path_)) {}
  PrivateCopy& operator=(PrivateCopy&&) = delete;
  ~PrivateCopy();

  /// Valid for other processes too (debuggers, symbolisers) while this process runs.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  /// An empty one, to be filled and sealed.
  static Result<PrivateCopy> create(const std::string& name);
  Status seal();
  explicit PrivateCopy(int memory);
  int memory_;  ///< descriptor; left open if the linker keeps the path
  std::string path_;
};

}  // namespace quarry::plugins
