#pragma once

#include "corpus/question.h"
#include "corpus/word_table.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// What ranking reads of one segment. The functions are called from one thread.
struct Shard {
  const WordTable* table;
  std::function<bool(FileId)> admits;            ///< live, and beneath the asked path
  std::function<std::string_view(FileId)> path;  ///< within its source
};

struct RankedPassage {
  std::uint32_t shard;
  FileId file;
  PassageId passage;
  double score;
};

/// The `limit` best passages over all shards, best first; word statistics are those of all shards
/// together. Further passages of a file come lower than they would alone. Empty when stopped.
[[nodiscard]] std::vector<RankedPassage> rank(std::span<const Shard> shards,
                                              const Question& question,
                                              const RankingWeights& weights, std::size_t limit,
                                              std::stop_token stop);

}  // namespace quarry::corpus
