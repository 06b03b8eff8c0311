#pragma once

#include "base/error.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/snapshot/beneath.h"
#include "corpus/snapshot/walk.h"

#include <cstdint>
#include <string>

namespace quarry::corpus {

/// A file ready to be written into a segment.
struct LoadedFile {
  FileKind kind = FileKind::kUnreadable;
  std::uint64_t size = 0;
  std::string text;
  LineTable lines;
};

/// Reads and decodes one entry. A file above `limit` bytes is kTooLarge; one that cannot be read,
/// or is no longer a regular file, is kUnreadable.
LoadedFile load_file(const Beneath& root, const TreeEntry& entry, std::uint64_t limit,
                     bool skip_secrets);

/// Copies a file from a segment. SnapshotDamaged, verified after copying: the copy gets digests of
/// its own, which would hide the damage for good.
Result<LoadedFile> copy_file(const Segment& segment, FileId file);

}  // namespace quarry::corpus
