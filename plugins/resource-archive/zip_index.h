#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_archive {

struct ZipEntry {
  std::uint64_t offset = 0;  ///< of its local header
  std::size_t place = 0;     ///< in the directory
  bool utf8 = false;         ///< the archive says that the name is UTF-8
  bool dos = false;          ///< written by a program of DOS or Windows
  std::string name;

  /// True if `said`, libarchive's name, can be that of this entry.
  [[nodiscard]] bool matches(std::string_view said) const;
  /// The name in UTF-8 where its character set is known, else as it is.
  [[nodiscard]] std::string readable() const;
};

struct ZipIndex {
  std::vector<ZipEntry>
      entries;  ///< one for each local header, in the order of these, as libarchive reads them
  std::string comment;
  bool too_large = false;  ///< more entries than any archive needs; they are not read
};

/// Nothing when the file is no zip archive, or its directory cannot be read.
std::optional<ZipIndex> read_zip_index(const std::string& file);

}  // namespace quarry::resource_archive
