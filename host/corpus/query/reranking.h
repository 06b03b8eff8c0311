#pragma once

#include "base/executor.h"
#include "corpus/query/question.h"
#include "corpus/query/ranking.h"
#include "corpus/query/search.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

class PassageReranker;

/// The part of one search that orders the best passages by the scores of a reranker.
class Reranking {
 public:
  /// Passages that are scored, so that the order does not depend on how many are shown.
  static constexpr std::size_t kScoredPassages = 50;

  /// `reranker` may be null: the order stays, without a note. It must outlive this.
  Reranking(PassageReranker* reranker, const SearchQuery& query);

  [[nodiscard]] bool is_configured() const;
  /// The text of a passage; empty if it is damaged.
  using TextOf = std::function<std::string(const RankedPassage&)>;
  /// At most `limit` of `ranked` (kScoredPassages), by score, best first; those without a text
  /// after the others. In their old order if they could not be scored.
  [[nodiscard]] std::vector<RankedPassage> ordered(std::vector<RankedPassage> ranked,
                                                   const TextOf& text_of, std::size_t limit,
                                                   Executor& executor, const std::stop_token& stop);
  /// A sentence about what was left out; may be empty.
  [[nodiscard]] std::string note() const;

 private:
  PassageReranker* reranker_;
  const std::string words_;
  std::string failure_;
};

}  // namespace quarry::corpus
