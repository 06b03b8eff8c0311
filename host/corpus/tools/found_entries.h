#pragma once

#include "corpus/query/collection.h"
#include "corpus/text/glob.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A file or subdirectory right within a directory. The name is valid as long as the snapshot.
struct DirectoryEntry {
  std::string_view name;
  std::optional<FileRef> file;  ///< empty for a directory
  std::size_t files = 1;        ///< beneath a directory
};

/// The entries of `directory` ("" = the root), in ascending order of path bytes.
std::vector<DirectoryEntry> entries_of(const Snapshot& snapshot, std::string_view directory);

/// Calls `visit` with source and file of each match beneath `place`, to which the pattern is
/// relative; nullopt = every source. There the pattern may begin with the source's name, because
/// tools show paths in that form. Ends early when `stop` is requested.
void each_match(const Collection& collection, const std::optional<Location>& place,
                const Glob& glob, const std::stop_token& stop,
                const std::function<void(std::size_t source, FileRef file)>& visit);

}  // namespace quarry::corpus
