#include "corpus/query/fusion.h"

#include "corpus/query/candidates.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace quarry::corpus {
namespace {

// Measured (docs/search.md): with the usual 60 and equal weights, ranks hardly differ, and what
// both lists have far below passes what the words say.
constexpr double kRankOffset = 5;
constexpr double kMeaningWeight = 0.5;

bool has_term(std::span<const Shard> shards, std::string_view term) {
  return std::ranges::any_of(
      shards, [&](const Shard& shard) { return shard.table->find(term).passages > 0; });
}

bool is_mentioned(const Mention& mention, const Shard& shard) {
  PostingCursor at = shard.table->walk(shard.table->find(mention.term));
  while (at.next()) {
    const FileId file = shard.table->file_of(at.passage());
    if (mention_match(mention, shard.path(file)) == 1) return true;
  }
  return false;
}

}  // namespace

std::vector<RankedPassage> fuse(std::span<const RankedPassage> by_words,
                                std::span<const RankedPassage> by_meaning, std::size_t limit) {
  std::map<std::pair<std::uint32_t, PassageId>, RankedPassage> fused;
  const auto add = [&](std::span<const RankedPassage> list, double weight) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      RankedPassage passage = list[i];
      passage.score = 0;
      fused.try_emplace({passage.shard, passage.passage}, passage).first->second.score +=
          weight / (kRankOffset + static_cast<double>(i + 1));
    }
  };
  add(by_words, 1);
  add(by_meaning, kMeaningWeight);
  std::vector<RankedPassage> out;
  for (const auto& [place, passage] : fused) out.push_back(passage);
  std::ranges::sort(out, is_better);
  if (out.size() > limit) out.resize(limit);
  return out;
}

bool names_known_place(const Question& question, std::span<const Shard> shards) {
  const auto in_any = [&](const Mention& mention) {
    return std::ranges::any_of(shards,
                               [&](const Shard& shard) { return is_mentioned(mention, shard); });
  };
  return std::ranges::any_of(question.named_definitions,
                             [&](const std::string& term) { return has_term(shards, term); }) ||
         std::ranges::any_of(question.mentioned, in_any);
}

}  // namespace quarry::corpus
