#include "corpus/query/fusion.h"

#include "corpus/query/candidates.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr double kRankOffset = 60;

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
  for (const auto list : {by_words, by_meaning}) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      RankedPassage passage = list[i];
      passage.score = 0;
      fused.try_emplace({passage.shard, passage.passage}, passage).first->second.score +=
          1 / (kRankOffset + static_cast<double>(i + 1));
    }
  }
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
