#pragma once

#include "base/error.h"
#include "corpus/segment.h"
#include "corpus/word_build.h"
#include "corpus/word_table.h"

#include <vector>

namespace quarry::corpus {

/// A segment's files in order of FileId, as the index sees them; the views live as long as it. A
/// damaged file comes without its text.
[[nodiscard]] std::vector<Document> documents_of(const Segment& segment);

/// That every place in `table` exists in `segment`, so that nobody has to ask again. kInternal.
Status check_fits(const WordTable& table, const Segment& segment);

}  // namespace quarry::corpus
