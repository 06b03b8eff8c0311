#pragma once

#include "corpus/query/question.h"
#include "corpus/query/ranking.h"

#include <cstddef>
#include <span>
#include <vector>

namespace quarry::corpus {

/// One list of two, each best first: a passage's score is 1 / (5 + its rank by words) + 0.5 / (5 +
/// its rank by meaning), as far as the lists have it (reciprocal rank fusion, Cormack et al., SIGIR
/// 2009, with a weight). Equal scores in the order of is_better().
[[nodiscard]] std::vector<RankedPassage> fuse(std::span<const RankedPassage> by_words,
                                              std::span<const RankedPassage> by_meaning,
                                              std::size_t limit);

/// True if the question names a definition that a shard has, or mentions one of its files: the
/// words then say more than their meaning.
[[nodiscard]] bool names_known_place(const Question& question, std::span<const Shard> shards);

}  // namespace quarry::corpus
