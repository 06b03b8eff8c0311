#pragma once

#include "corpus/question.h"
#include "corpus/search.h"

namespace quarry::corpus {

/// search() with other weights than the measured ones: for whoever measures them.
Result<std::vector<Passage>> weighted_search(const Collection& collection, const SearchQuery& query,
                                             const RankingWeights& weights, Executor& executor,
                                             std::stop_token stop);

}  // namespace quarry::corpus
