#pragma once

#include "base/error.h"
#include "corpus/collection.h"
#include "corpus/grep.h"
#include "corpus/line_pattern.h"

#include <cstdint>
#include <vector>

namespace quarry::corpus {

/// Neighbouring files of one segment whose texts are read in one go.
struct GrepRun {
  std::uint32_t source;
  std::uint32_t segment;
  FileId first;
  FileId last;
};

/// What one worker reads before it looks whether it should go on. The first pieces are small,
/// because a common word is found at once; no piece is much longer than a megabyte, so that
/// questions share the workers fairly.
using GrepPiece = std::vector<GrepRun>;

/// The files that `query` asks for and that may match, in order of source and path. kNotFound for a
/// path that names nothing, kInvalidArgument for a bad glob.
Result<std::vector<GrepPiece>> plan_grep(const Collection& collection, const GrepQuery& query,
                                         const LinePattern& pattern);

}  // namespace quarry::corpus
