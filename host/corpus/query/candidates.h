#pragma once

#include "corpus/query/question.h"
#include "corpus/query/ranking.h"

#include <span>
#include <vector>

namespace quarry::corpus {

/// Changes the scores of the best passages by what they are beside each other: the role of their
/// files, further passages of one file, further forms of one file. Leaves them unsorted.
void adjust_candidates(std::span<const Shard> shards, const Question& question,
                       const RankingWeights& weights, std::vector<RankedPassage>& found);

/// Best first; equal scores in order of shard and passage.
[[nodiscard]] bool is_better(const RankedPassage& a, const RankedPassage& b);

}  // namespace quarry::corpus
