#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/collection.h"
#include "corpus/query/grep.h"
#include "corpus/query/line_pattern.h"

#include <cstdint>
#include <vector>

namespace quarry::corpus {

/// Consecutive files of one segment whose texts are scanned together.
struct GrepRun {
  std::uint32_t source;
  std::uint32_t segment;
  FileId first;
  FileId last;
};

/// The runs that one worker scans as one job. The first pieces are small, because a common word is
/// found at once; no piece is much longer than a megabyte, so that questions share the workers
/// fairly.
using GrepPiece = std::vector<GrepRun>;

/// The files selected by `query` that may match, in order of source and path. kNotFound for a path
/// that does not exist, kInvalidArgument for a bad glob.
Result<std::vector<GrepPiece>> plan_grep(const Collection& collection, const GrepQuery& query,
                                         const LinePattern& pattern, Executor& executor);

}  // namespace quarry::corpus
