#pragma once

#include "corpus/query/question.h"
#include "corpus/query/search.h"

#include <string>

namespace quarry::corpus {

/// search() with given weights, for measuring them.
Result<std::vector<Passage>> weighted_search(const Collection& collection, const SearchQuery& query,
                                             const RankingTable& table, Executor& executor,
                                             std::stop_token stop, std::string* note = nullptr);

}  // namespace quarry::corpus
