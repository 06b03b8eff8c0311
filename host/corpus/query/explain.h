#pragma once

#include "corpus/query/explanation.h"
#include "corpus/query/ranking.h"

#include <span>
#include <vector>

namespace quarry::corpus {

/// The explanation of each of the passages that rank() gave for the same other arguments.
[[nodiscard]] std::vector<Explanation> explain(std::span<const Shard> shards,
                                               const Question& question,
                                               const RankingWeights& weights,
                                               std::span<const RankedPassage> ranked,
                                               Executor& executor);

}  // namespace quarry::corpus
