#pragma once

#include "base/executor.h"
#include "corpus/index/vector_index.h"
#include "corpus/query/question.h"
#include "corpus/query/question_encoder.h"
#include "corpus/query/ranking.h"
#include "corpus/query/search.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// The part of one search that compares vectors. The question is encoded while the caller ranks by
/// words; what takes too long is left out and noted.
class MeaningSearch {
 public:
  /// Passages of each list that are fused, so that the order does not depend on how many are
  /// shown.
  static constexpr std::size_t kFusedPassages = 50;

  /// `encoder` may be null: ranked by words alone, without a note.
  MeaningSearch(QuestionEncoder* encoder, const SearchQuery& query);

  [[nodiscard]] bool is_configured() const { return !vector_file_.empty(); }
  /// True if vectors are to be compared: there are any, and not `by_words`, for a question that
  /// names a known place. Then `shards` and `vectors`, those of each shard or null, must live until
  /// fused() returns.
  bool begin(bool by_words, std::span<const Shard> shards,
             std::span<const std::shared_ptr<const VectorIndex>> vectors);
  /// `ranked` (kFusedPassages by words) fused with the nearest passages; `ranked` itself if the
  /// question could not be encoded. At most `limit`.
  [[nodiscard]] std::vector<RankedPassage> fused(std::vector<RankedPassage> ranked,
                                                 std::size_t limit, Executor& executor,
                                                 const std::stop_token& stop);
  /// Name of the file of vectors; empty if none are used.
  [[nodiscard]] const std::string& vector_file() const { return vector_file_; }
  /// A sentence about what was left out; may be empty.
  [[nodiscard]] std::string note() const;

 private:
  void count(std::span<const Shard> shards,
             std::span<const std::shared_ptr<const VectorIndex>> vectors);
  Result<QuestionVector> awaited_vector(Executor& executor, const std::stop_token& stop);

  QuestionEncoder* encoder_;
  const std::string words_;
  const std::string identity_;     // of the encoder; empty if vectors are not used
  const std::string vector_file_;  // likewise
  std::span<const Shard> shards_;
  std::span<const std::shared_ptr<const VectorIndex>> vectors_;
  std::shared_ptr<QuestionEncoder::Awaited> awaited_;
  std::chrono::steady_clock::time_point deadline_;
  std::size_t done_ = 0;   // passages with a vector
  std::size_t total_ = 0;  // passages
  std::string failure_;
};

}  // namespace quarry::corpus
