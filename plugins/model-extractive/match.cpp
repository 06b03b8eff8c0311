#include "model-extractive/match.h"

#include "model-extractive/words.h"

#include <algorithm>

namespace quarry::extractive {
namespace {

constexpr double kSynonymWorth = 0.6;

}  // namespace

Match matched(std::string_view text, const Question& question) {
  Match out;
  std::string previous;
  const auto look_up = [&](const std::string& stemmed) {
    for (std::size_t i = 0; i < question.terms.size(); ++i) {
      const Term& term = question.terms[i];
      if (term.stem == stemmed) out.own |= std::uint64_t{1} << i;
      if (std::ranges::find(term.synonyms, stemmed) != term.synonyms.end()) {
        out.other |= std::uint64_t{1} << i;
      }
    }
    for (const Compound& compound : question.compounds) {
      if (compound.stem == stemmed) out.own |= std::uint64_t{3} << compound.first;
    }
  };
  for (const std::string& word : words_of(text)) {
    if (is_common(word)) {
      previous.clear();
      continue;
    }
    look_up(stem(word));
    if (!previous.empty()) look_up(stem(previous + word));  // "skip list" and "skiplist"
    previous = word;
  }
  return out;
}

double coverage(const Match& match, const Question& question) {
  double found = 0;
  double all = 0;
  for (std::size_t i = 0; i < question.terms.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const double weight = question.terms[i].weight;
    all += weight;
    if ((match.own & bit) != 0) {
      found += weight;
    } else if ((match.other & bit) != 0) {
      found += weight * kSynonymWorth;
    }
  }
  return all > 0 ? found / all : 0;
}

}  // namespace quarry::extractive
