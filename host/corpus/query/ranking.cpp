#include "corpus/query/ranking.h"

#include "corpus/query/candidates.h"
#include "corpus/query/imported_files.h"
#include "corpus/query/shard_scores.h"

#include <algorithm>
#include <atomic>

namespace quarry::corpus {
namespace {

constexpr std::size_t kCandidates = 400;  // passages that are compared with each other

void keep_top(std::vector<RankedPassage>& found, std::size_t count) {
  if (found.size() > count) {
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(found.begin(), end, found.end(), is_better);
    found.erase(end, found.end());
  }
}

double worst_score(const std::vector<RankedPassage>& some) {
  return std::ranges::min_element(some, {}, &RankedPassage::score)->score;
}

void raise(std::atomic<double>& value, double to) {
  double now = value;
  while (now < to && !value.compare_exchange_weak(now, to)) {
  }
}

}  // namespace

std::vector<RankedPassage> rank(std::span<const Shard> shards, const Question& question,
                                const RankingWeights& weights, std::size_t limit,
                                Executor& executor, std::stop_token stop) {
  const Statistics all = statistics_of(shards);
  const auto postings = find_terms(shards, question, executor);
  const std::vector<WeighedTerm> terms = weigh(postings, question, all, weights.rarity);
  const std::size_t kept = std::max(limit * 4, kCandidates);
  std::vector<std::vector<RankedPassage>> best(shards.size());
  std::atomic<std::uint32_t> next = 0;
  std::atomic<double> least = 0;  // that a score must have to be among the best of all shards
  parallel_for(executor, std::min(executor.concurrency(), shards.size()), [&](std::size_t) {
    ScoreBuffers buffers;
    for (std::uint32_t i; (i = next.fetch_add(1)) < shards.size() && !stop.stop_requested();) {
      ShardScores scores(shards[i], all, weights, buffers);
      for (const WeighedTerm& term : terms) scores.add(term, postings[i]);
      scores.mention(question.mentioned);
      scores.collect(i, question.wanted_traits, least, best[i]);
      keep_top(best[i], kept);
      if (best[i].size() == kept) raise(least, worst_score(best[i]));
    }
  });
  if (stop.stop_requested()) return {};
  std::vector<RankedPassage> found;
  for (const auto& some : best) found.insert(found.end(), some.begin(), some.end());
  keep_top(found, kept);
  adjust_candidates(shards, question, weights, found);
  if (weights.imported != 0 && question.answer_kind == AnswerKind::kCode) {
    raise_imported(shards, weights.imported, found);
  }
  keep_top(found, limit);
  std::ranges::sort(found, is_better);
  return found;
}

}  // namespace quarry::corpus
