#pragma once

#include "base/executor.h"
#include "corpus/index/word_table.h"
#include "corpus/query/question.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// The data of one segment that ranking reads. The functions are never
/// called from two threads at once.
struct Shard {
  const WordTable* table;
  std::function<bool(FileId)> admits;            ///< true if live and beneath the requested path
  std::function<std::string_view(FileId)> path;  ///< within its source
  std::function<std::string_view(FileId)> text = {};  ///< empty if damaged; may be null
};

/// Factors of a passage's score, 1 if they change nothing.
struct ScoreFactors {
  double demotion = 1;  ///< by the traits of its file
  double role = 1;      ///< by the role of its file
  double repeat = 1;    ///< of further passages of one file
  double twin = 1;      ///< of further forms of one file
  double imported = 1;  ///< by the best files that import its file
};

struct RankedPassage {
  std::uint32_t shard;
  FileId file;
  PassageId passage;
  double score;
  double siblings = 0;  ///< the part, before the factors, of its file's next best passages
  ScoreFactors factors = {};
};

/// The `limit` best passages over all shards, best first; word statistics are those of all shards
/// together. Further passages of a file are ranked lower. Empty if stopped.
[[nodiscard]] std::vector<RankedPassage> rank(std::span<const Shard> shards,
                                              const Question& question,
                                              const RankingWeights& weights, std::size_t limit,
                                              Executor& executor, std::stop_token stop);

}  // namespace quarry::corpus
