#include "corpus/query/reranking.h"

#include "base/utf8.h"
#include "corpus/query/model_note.h"
#include "corpus/query/passage_reranker.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace quarry::corpus {

Reranking::Reranking(PassageReranker* reranker, const SearchQuery& query)
    : reranker_(query.words_only ? nullptr : reranker), words_(to_utf8(query.words)) {}

bool Reranking::is_configured() const {
  return reranker_ != nullptr && reranker_->is_configured();
}

std::vector<RankedPassage> Reranking::ordered(std::vector<RankedPassage> ranked,
                                              const TextOf& text_of, std::size_t limit,
                                              Executor& executor, const std::stop_token& stop) {
  std::vector<RankedPassage> scored;
  std::vector<RankedPassage> blank;
  std::vector<std::string> texts;
  for (RankedPassage& passage : ranked) {
    std::string text = text_of(passage);
    (text.empty() ? blank : scored).push_back(passage);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  std::optional<Result<std::vector<double>>> scores;
  if (!texts.empty()) {
    executor.block([&] { scores = reranker_->score(words_, std::move(texts), stop); });
  }
  failure_ = scores && !*scores ? scores->error().message : "";
  if (scores && *scores) {
    for (std::size_t i = 0; i < scored.size(); ++i) scored[i].score = (**scores)[i];
    std::ranges::stable_sort(scored, std::ranges::greater(), &RankedPassage::score);
    // Greater is better within one result.
    const double last = scored.back().score;
    for (RankedPassage& passage : blank) passage.score = last;
    scored.insert(scored.end(), blank.begin(), blank.end());
    ranked = std::move(scored);
  }
  if (ranked.size() > limit) ranked.resize(limit);
  return ranked;
}

std::string Reranking::note() const {
  return failure_.empty() ? "" : "Not reranked: " + reason_of(failure_) + ".";
}

}  // namespace quarry::corpus
