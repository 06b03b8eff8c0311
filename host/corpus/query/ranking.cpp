#include "corpus/query/ranking.h"

#include "corpus/query/candidates.h"
#include "corpus/query/shard_scores.h"

#include <algorithm>

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

}  // namespace

std::vector<RankedPassage> rank(std::span<const Shard> shards, const Question& question,
                                const RankingWeights& weights, std::size_t limit,
                                std::stop_token stop) {
  const Statistics all = statistics_of(shards);
  const std::vector<WeighedTerm> terms = weigh(shards, question, all, weights.rarity);
  std::vector<RankedPassage> found;
  for (std::uint32_t i = 0; i < shards.size(); ++i) {
    ShardScores scores(shards[i], all, weights);
    for (const WeighedTerm& term : terms) {
      if (stop.stop_requested()) return {};
      scores.add(term);
    }
    scores.mention(shards[i], question.mentioned);
    scores.collect(i, shards[i], question.wanted_traits, found);
  }
  keep_top(found, std::max(limit * 4, kCandidates));
  adjust_candidates(shards, question, weights, found);
  keep_top(found, limit);
  std::ranges::sort(found, is_better);
  return found;
}

}  // namespace quarry::corpus
