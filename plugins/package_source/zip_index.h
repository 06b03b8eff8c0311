#pragma once

#include "package_source/file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::package_source {

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

/// The directory of a zip archive, read before libarchive reads it, which does not suffice: it
/// reads any number of entries into memory, has no form of a name marked as UTF-8 in the locale "C"
/// (in others it changes the name to normal form C), takes names in code page 437 for other bytes,
/// and passes no comment on, where "git archive" notes the commit. nullopt when the file is no zip
/// archive, or its directory cannot be read.
std::optional<ZipIndex> read_zip_index(const File& file);

/// Text in code page 437 as UTF-8.
std::string from_cp437(std::string_view text);

}  // namespace quarry::package_source
