#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// Members of an archive, read from the output of `tar --list --verbose --numeric-owner
/// --quoting-style=escape`, which is read while it is written.
class ArchiveListing {
 public:
  static constexpr std::size_t kMostMembers = 256;
  static constexpr std::uint64_t kMostBytes = 1ull << 30;  ///< of all members together
  static constexpr std::size_t kLongestLine = 8192;

  /// Takes bytes of the output, cut anywhere. kInvalidArgument at the first member that an archive
  /// of a plugin must not have.
  Status read(std::string_view bytes);
  /// To be called at the end of the output.
  [[nodiscard]] Status end() const;

  /// Name of the member "plugin.toml" as it is in the archive, at the top or in one folder.
  [[nodiscard]] Result<std::string> manifest() const;
  /// True if there is a regular file of this name, given as in the archive.
  [[nodiscard]] bool has(std::string_view name) const;
  /// Its size in bytes; 0 if there is none.
  [[nodiscard]] std::uint64_t size_of(std::string_view name) const;

 private:
  Status read_line(std::string_view line);
  Status add(char type, std::string_view size, std::string_view name);

  std::string line_;  // of which the end is missing
  std::size_t members_ = 0;
  std::uint64_t bytes_ = 0;
  struct File {
    std::string name;  // as in the archive
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] const File* find(std::string_view name) const;

  std::map<std::string, File> files_;  // by name without "./"
};

}  // namespace quarry::plugins
