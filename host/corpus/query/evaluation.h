#pragma once

#include "base/error.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// A question whose answering files are known.
struct JudgedQuestion {
  std::string tree = {};      ///< name of the tree that is asked; may be empty
  std::string split = {};     ///< "dev" or "held-out"; may be empty
  std::string kind = {};      ///< "documentation" or "code", the files that answer it; may be empty
  std::string style = {};     ///< "line" or "issue" (title, body, output); may be empty
  std::string origin = {};    ///< where it is from: who asked it, on what; may be empty
  std::string language = {};  ///< of the tree; may be empty
  bool names_identifier = false;
  std::string question = {};
  std::set<std::string> files = {};  ///< paths within the tree, any of which answers
};

/// Reads questions, one JSON object a line, with the members of JudgedQuestion; `question` and
/// `files` are required, others than its members are ignored. kInvalidArgument with the number of
/// the line and the member. [any thread]
Result<std::vector<JudgedQuestion>> read_judged_questions(std::string_view lines);

/// Rank, from 1, of the first file among `paths` (best first) that answers, where each distinct
/// path counts once; 0 if none does.
[[nodiscard]] std::uint32_t rank_of_answer(const JudgedQuestion& question,
                                           std::span<const std::string> paths);

/// A mean over questions with its 95 % bootstrap interval.
struct Measure {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Quality of a ranking over a set of questions.
struct RankingQuality {
  std::size_t questions = 0;
  Measure hit_1, hit_5, hit_10;  ///< share of questions with an answer among the first n files
  Measure mrr;                   ///< mean of 1/rank
};

/// The quality for the ranks of rank_of_answer(). The intervals are percentiles of resampled means
/// from a fixed seed: equal ranks have equal intervals. All zero without questions. [any thread]
[[nodiscard]] RankingQuality measure_ranks(std::span<const std::uint32_t> ranks);

}  // namespace quarry::corpus
