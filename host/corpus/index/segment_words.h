#pragma once

#include "base/error.h"
#include "corpus/index/word_build.h"
#include "corpus/index/word_table.h"
#include "corpus/segment/segment.h"

#include <vector>

namespace quarry::corpus {

/// The files of a segment in order of FileId, for the index; the views live as long as the segment.
/// A damaged file has no text.
[[nodiscard]] std::vector<Document> documents_of(const Segment& segment);

/// Verifies once that every position in `table` exists in `segment`. kInternal.
Status check_fits(const WordTable& table, const Segment& segment);

}  // namespace quarry::corpus
