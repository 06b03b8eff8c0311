#pragma once

#include "base/executor.h"
#include "corpus/index/vector_index.h"
#include "corpus/query/ranking.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace quarry::corpus {

/// The `limit` passages whose vectors are nearest to that of the question by cosine, nearest first,
/// at most three of a file. `vectors` has the vectors of each shard, or null. All rows of admitted
/// files are compared; damaged ones are left out, and is_damaged() of their vectors is true
/// afterwards. The result does not depend on the number of threads. Empty if stopped.
[[nodiscard]] std::vector<RankedPassage> dense_rank(
    std::span<const Shard> shards, std::span<const std::shared_ptr<const VectorIndex>> vectors,
    const QuestionVector& question, std::size_t limit, Executor& executor,
    const std::stop_token& stop);

}  // namespace quarry::corpus
