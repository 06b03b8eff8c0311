#pragma once

#include "corpus/snapshot.h"
#include "corpus/tree_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace quarry::corpus {

// What a pack takes over from the snapshot before it. Three ways for a file, the cheapest first:
// its segment is linked whole; its text is copied out of the previous mapping; it is read.

/// For each entry the file of `previous` (may be null) with the same path and signature.
using Matches = std::vector<std::optional<FileRef>>;
Matches match_previous(std::span<const TreeEntry> entries, const Snapshot* previous);

/// The segments of `previous` worth linking, ascending. None when more than 30 % of the text would
/// be dead; only the largest when there would be more than 8 segments, so that the small ones of
/// many edits are folded into one without the large one's indexes being built again.
std::vector<std::uint32_t> choose_segments(std::span<const TreeEntry> entries,
                                           const Matches& matches, const Snapshot& previous);

/// The same for a snapshot of `kept` files of `previous`, and `fresh_files` others of so many
/// bytes.
std::vector<std::uint32_t> choose_segments(std::span<const FileRef> kept, std::size_t fresh_files,
                                           std::uint64_t fresh_bytes, const Snapshot& previous);

/// A file of the new segment.
struct PlannedFile {
  const TreeEntry* entry;
  std::optional<FileRef> copy_from;  ///< in the previous snapshot; read from disk when empty
};

/// The files that lie in none of the `linked` segments, in order of path.
std::vector<PlannedFile> plan_segment(std::span<const TreeEntry> entries, const Matches& matches,
                                      std::span<const std::uint32_t> linked);

}  // namespace quarry::corpus
