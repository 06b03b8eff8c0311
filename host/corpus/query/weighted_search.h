#pragma once

#include "corpus/query/question.h"
#include "corpus/query/search.h"

namespace quarry::corpus {

/// search() with given weights, for measuring them.
Result<std::vector<Passage>> weighted_search(const Collection& collection, const SearchQuery& query,
                                             const RankingWeights& weights, Executor& executor,
                                             std::stop_token stop);

}  // namespace quarry::corpus
