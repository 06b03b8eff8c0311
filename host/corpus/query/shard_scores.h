#pragma once

#include "base/executor.h"
#include "corpus/query/ranking.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Totals over all shards for the formula.
struct Statistics {
  double passages = 0;
  double files = 0;
  double average_passage = 1;
  double average_file = 1;
};

[[nodiscard]] Statistics statistics_of(std::span<const Shard> shards);

/// The postings of each term of a question in one shard.
using ShardPostings = std::vector<TermPostings>;

/// The postings of each shard, looked up on the threads of `executor`.
[[nodiscard]] std::vector<ShardPostings> find_terms(std::span<const Shard> shards,
                                                    const Question& question, Executor& executor);

/// A term of the question with its weights.
struct WeighedTerm {
  const QuestionTerm* asked;
  std::size_t number;     ///< among the terms of the question
  double passage_weight;  ///< weight × inverse passage frequency
  double file_weight;     ///< weight × inverse file frequency
};

/// The terms of the question that any shard has.
[[nodiscard]] std::vector<WeighedTerm> weigh(std::span<const ShardPostings> postings,
                                             const Question& question, const Statistics& all,
                                             double power);

/// Factor of a file's score, less than 1 for kinds of files that seldom answer.
[[nodiscard]] double demotion_of(std::uint8_t traits, std::uint8_t wanted,
                                 const RankingWeights& weights);

/// Receives every amount that is added to the score of a passage or of a file.
class ScoreRecorder {
 public:
  virtual ~ScoreRecorder() = default;
  virtual void passage(PassageId passage, Evidence evidence, std::string_view term,
                       double amount) = 0;
  virtual void file(FileId file, Evidence evidence, std::string_view term, double amount) = 0;
};

/// Memory for the scores of one shard after another. Zeroed where nothing is scored.
struct ScoreBuffers {
  std::vector<float> passages;
  std::vector<float> files;
  std::vector<float> most;      ///< by file: no passage of it has a higher score
  std::vector<bool> is_scored;  ///< by file
  std::vector<FileId> scored;   ///< files, in any order
};

/// Scores of one shard's passages and files, term by term. The arguments must outlive it; one
/// object at a time uses the buffers. Not thread-safe.
class ShardScores {
 public:
  /// `recorder` may be null.
  ShardScores(const Shard& shard, const Statistics& all, const RankingWeights& weights,
              ScoreBuffers& buffers, ScoreRecorder* recorder = nullptr);
  ~ShardScores();
  ShardScores(const ShardScores&) = delete;
  ShardScores& operator=(const ShardScores&) = delete;

  void add(const WeighedTerm& term, const ShardPostings& postings);
  /// Rewards files that the question mentions by name, each for its best mention.
  void mention(std::span<const Mention> mentions);
  /// The best passages of every file that may have a score of at least `least`.
  void collect(std::uint32_t shard, std::uint8_t wanted, double least,
               std::vector<RankedPassage>& out) const;

 private:
  void collect_file(FileId file, std::uint32_t shard, double factor,
                    std::vector<RankedPassage>& out) const;
  void add_siblings(std::span<RankedPassage> passages, double factor) const;
  void add_text(const WeighedTerm& term, PostingCursor& at);
  void end_file(const WeighedTerm& term, FileId file, double count, double most);
  void add_to_passage(PassageId passage, Evidence evidence, std::string_view term, double amount);
  void add_to_file(FileId file, Evidence evidence, std::string_view term, double amount);
  void mark_scored(FileId file);

  const Shard& shard_;
  const WordTable& table_;
  const Statistics& all_;
  const RankingWeights& weights_;
  ScoreBuffers& buffers_;
  ScoreRecorder* recorder_;
};

}  // namespace quarry::corpus
