#include "corpus/proximity.h"

#include "corpus/words.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

constexpr std::uint32_t kReach = 10;  // words further apart have nothing to do with each other

}  // namespace

Proximity::Proximity(const Question& question, WordWeights weights) : weights_(std::move(weights)) {
  for (const QuestionTerm& term : question.terms) {
    if (term.kind == TermKind::kText) asked_.push_back({term.term, term.word});
  }
  last_.resize(weights_.size());
  best_.resize(weights_.size() * weights_.size());
}

double Proximity::score(std::string_view text) {
  std::ranges::fill(last_, 0);
  std::ranges::fill(best_, 0);
  std::uint32_t position = 0;
  WordScanner scanner(text);
  for (std::string_view word; !(word = scanner.next()).empty();) {
    const Range range = numbers_of(word);
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      ++position;
      if (parts_[i] >= 0) meet(static_cast<std::uint32_t>(parts_[i]), position);
    }
  }
  double sum = 0;
  for (const double one : best_) sum += one;
  return sum;
}

/// The parts of a word of the text, as words of the question.
const Proximity::Range& Proximity::numbers_of(std::string_view word) {
  const auto [id, is_new] = seen_.add(word);
  if (!is_new) return ranges_[id];
  const auto begin = static_cast<std::uint32_t>(parts_.size());
  for (const std::string& part : terms_of(word).parts) {
    const auto found = std::ranges::find(asked_, part, &Asked::term);
    parts_.push_back(found == asked_.end() ? -1 : static_cast<std::int32_t>(found->word));
  }
  if (parts_.size() == begin) parts_.push_back(-1);
  ranges_.push_back({begin, static_cast<std::uint32_t>(parts_.size())});
  return ranges_.back();
}

void Proximity::meet(std::uint32_t word, std::uint32_t position) {
  for (std::uint32_t other = 0; other < last_.size(); ++other) {
    if (other == word || last_[other] == 0) continue;
    const std::uint32_t distance = position - last_[other];
    if (distance > kReach) continue;
    const bool neighbours = word == other + 1 || other == word + 1;
    const double value = std::min(weights_[word], weights_[other]) * (neighbours ? 1.0 : 0.5) /
                         std::max(distance, 1u);
    double& best = best_[std::min(word, other) * last_.size() + std::max(word, other)];
    best = std::max(best, value);
  }
  last_[word] = position;
}

}  // namespace quarry::corpus
