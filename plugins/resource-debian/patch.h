// Unified differences, read and applied as dpkg-source does it with GNU patch: -p1, no fuzz.
#pragma once

#include "resource-debian/text.h"

#include <deque>

namespace quarry::resource_debian {

/// One hunk. Lines keep their line end, so a missing one at the end of a file is exact.
struct Hunk {
  std::size_t old_first = 0;  ///< line of its first old line, from 1; 0 for an empty file
  std::vector<std::string_view> before;  ///< old lines
  std::vector<std::string_view> after;   ///< new lines
  std::size_t prefix = 0;                ///< lines of context at its begin and end
  std::size_t suffix = 0;
};

/// The changes of one file.
struct FilePatch {
  std::string old_name;  ///< without its first part; empty = /dev/null, or no name
  std::string new_name;
  bool creates = false;     ///< the header says that there is no old file
  bool removes = false;     ///< the header says that there is no new file
  std::string rename_from;  ///< of git
  std::string rename_to;
  bool copies = false;
  bool makes_link = false;  ///< git says that the new file is a symbolic link
  std::vector<Hunk> hunks;
};

/// The changes of a patch, or what is wrong with it. `storage` keeps lines that are not in `text`.
struct ReadPatch {
  std::vector<FilePatch> files;
  std::string wrong;
};
ReadPatch read_patch(std::string_view text, std::deque<std::string>& storage);

/// Applies hunks to the text of a file; nullopt when one does not fit.
std::optional<std::string> apply_hunks(std::string_view text, const std::vector<Hunk>& hunks);

}  // namespace quarry::resource_debian
