#pragma once

#include "corpus/snapshot/snapshot.h"
#include "corpus/snapshot/tree_state.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace quarry::corpus {

// Reuse of the previous snapshot by a pack. There are three ways for a file, the cheapest first:
// its whole segment is linked; its text is copied from the previous mapping; it is read.

/// For each entry, the file of `previous` (may be null) with the same path and signature.
using Matches = std::vector<std::optional<FileRef>>;
Matches match_previous(std::span<const TreeEntry> entries, const Snapshot* previous);

/// The segments of `previous` worth linking, ascending. None of which more than 30 % of the text
/// would be dead. Of those with less than half of `segment_bytes` (PackLimits) only the largest, if
/// there would be more than 8 with a new one, so that the small ones of many edits are merged
/// without rebuilding the indexes of the others.
std::vector<std::uint32_t> choose_segments(std::span<const TreeEntry> entries,
                                           const Matches& matches, const Snapshot& previous,
                                           std::uint64_t segment_bytes);

/// The same for a snapshot of `kept` files of `previous` and, if `has_fresh`, others.
std::vector<std::uint32_t> choose_segments(std::span<const FileRef> kept, bool has_fresh,
                                           const Snapshot& previous, std::uint64_t segment_bytes);

/// A file of a new segment.
struct PlannedFile {
  const TreeEntry* entry;
  std::optional<FileRef> copy_from;  ///< in the previous snapshot; read from disk if empty
};

/// The files that are in none of the `linked` segments, in order of path.
std::vector<PlannedFile> plan_segment(std::span<const TreeEntry> entries, const Matches& matches,
                                      std::span<const std::uint32_t> linked);

}  // namespace quarry::corpus
