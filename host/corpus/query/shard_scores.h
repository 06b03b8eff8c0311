#pragma once

#include "corpus/query/ranking.h"

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

/// A term of the question with its weights.
struct WeighedTerm {
  const QuestionTerm* asked;
  double passage_weight;  ///< weight × inverse passage frequency
  double file_weight;     ///< weight × inverse file frequency
};

/// The terms of the question that any shard has.
[[nodiscard]] std::vector<WeighedTerm> weigh(std::span<const Shard> shards,
                                             const Question& question, const Statistics& all,
                                             double power);

/// Factor of a file's score, less than 1 for kinds of files that seldom answer.
[[nodiscard]] double demotion_of(std::uint8_t traits, std::uint8_t wanted, double strength);

/// Receives every amount that is added to the score of a passage or of a file.
class ScoreRecorder {
 public:
  virtual ~ScoreRecorder() = default;
  virtual void passage(PassageId passage, Evidence evidence, std::string_view term,
                       double amount) = 0;
  virtual void file(FileId file, Evidence evidence, std::string_view term, double amount) = 0;
};

/// Scores of one shard's passages and files, term by term. The arguments must outlive it. Not
/// thread-safe.
class ShardScores {
 public:
  /// `recorder` may be null.
  ShardScores(const Shard& shard, const Statistics& all, const RankingWeights& weights,
              ScoreRecorder* recorder = nullptr);

  void add(const WeighedTerm& term);
  /// Rewards files that the question mentions by name, each for its best mention.
  void mention(const Shard& shard, std::span<const Mention> mentions);
  /// The best passages of every file that has any score.
  void collect(std::uint32_t shard, const Shard& access, std::uint8_t wanted,
               std::vector<RankedPassage>& out) const;

 private:
  void add_siblings(std::span<RankedPassage> passages, double factor) const;
  void add_text(const WeighedTerm& term, PostingCursor& at);
  void end_file(const WeighedTerm& term, FileId file, double count);
  void add_to_passage(PassageId passage, Evidence evidence, std::string_view term, double amount);
  void add_to_file(FileId file, Evidence evidence, std::string_view term, double amount);
  [[nodiscard]] bool scored(PassageId begin, PassageId end) const;

  const WordTable& table_;
  const Statistics& all_;
  const RankingWeights& weights_;
  ScoreRecorder* recorder_;
  std::vector<float> passages_;
  std::vector<float> files_;
};

}  // namespace quarry::corpus
