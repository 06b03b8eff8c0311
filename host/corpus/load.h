#pragma once

#include "corpus/beneath.h"
#include "corpus/segment_writer.h"
#include "corpus/walk.h"

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

/// Reads and decodes one entry. A file above `limit` bytes is kTooLarge; what cannot be read, or is
/// no regular file any more, is kUnreadable.
LoadedFile load_file(const Beneath& root, const TreeEntry& entry, std::uint64_t limit,
                     bool skip_secrets);

/// The same file once more, from a segment that was checked to be sound there.
LoadedFile copy_file(const Segment& segment, FileId file);

}  // namespace quarry::corpus
