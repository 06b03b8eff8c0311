#pragma once

#include "corpus/question.h"
#include "corpus/word_interner.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// How much each word of a question says, by its number; 0 = not at all.
using WordWeights = std::vector<double>;

/// Tells how close together the words of a question stand in a text. Remembers the words it has
/// seen, so one object serves all passages of an answer; the texts must outlive it. Not
/// thread-safe.
class Proximity {
 public:
  Proximity(const Question& question, WordWeights weights);
  /// The sum, over pairs of the question's words, of the lesser weight by their least distance.
  /// Pairs that are neighbours in the question count twice.
  [[nodiscard]] double score(std::string_view text);

 private:
  struct Asked {
    std::string_view term;
    std::uint32_t word;
  };
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  const Range& numbers_of(std::string_view word);
  void meet(std::uint32_t word, std::uint32_t position);

  std::vector<Asked> asked_;
  WordWeights weights_;
  WordInterner seen_;
  std::vector<Range> ranges_;        // by number in seen_
  std::vector<std::int32_t> parts_;  // words of the question, or -1 for another word
  std::vector<std::uint32_t> last_;  // by word of the question: its latest position, from 1
  std::vector<double> best_;         // by pair of words
};

}  // namespace quarry::corpus
