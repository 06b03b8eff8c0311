#pragma once

#include "corpus/query/word_finder.h"
#include "corpus/snapshot/snapshot.h"

#include <cstdint>
#include <vector>

namespace quarry::corpus {

/// The files of a segment that may contain the word, ascending: as its trigram index tells, or all.
[[nodiscard]] std::vector<FileId> files_with(const Snapshot& snapshot, std::uint32_t segment,
                                             const WordFinder& finder);

}  // namespace quarry::corpus
