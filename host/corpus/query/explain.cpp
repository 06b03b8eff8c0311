#include "corpus/query/explain.h"

#include "corpus/query/shard_scores.h"
#include "corpus/text/file_role.h"
#include "corpus/text/file_traits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace quarry::corpus {
namespace {

std::string_view name_of(Evidence evidence) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"words", "file", "whole", "definition", "pair", "path", "mention", "relatives", "siblings"});
  return kNames[static_cast<std::size_t>(evidence)];
}

/// `term` without the byte that marks its kind in the index.
std::string unmarked(std::string_view term) {
  const char first = term.empty() ? ' ' : term.front();
  const bool marked = first == kDefinedTerm || first == kDefinedStem || first == kPathTerm;
  return std::string(term.substr(marked ? 1 : 0));
}

/// Keeps what is added to the scores of the passages to be explained.
class PartRecorder final : public ScoreRecorder {
 public:
  void follow(const RankedPassage& ranked, std::vector<ScorePart>& parts) {
    of_passage_[ranked.passage] = &parts;
    of_file_[ranked.file].push_back(&parts);
  }
  void passage(PassageId passage, Evidence evidence, std::string_view term,
               double amount) override {
    const auto found = of_passage_.find(passage);
    if (found == of_passage_.end()) return;
    found->second->push_back({std::string(name_of(evidence)), unmarked(term), amount});
  }
  void file(FileId file, Evidence evidence, std::string_view term, double amount) override {
    const auto found = of_file_.find(file);
    if (found == of_file_.end()) return;
    for (std::vector<ScorePart>* parts : found->second) {
      parts->push_back({std::string(name_of(evidence)), unmarked(term), amount});
    }
  }

 private:
  std::unordered_map<PassageId, std::vector<ScorePart>*> of_passage_;
  std::unordered_map<FileId, std::vector<std::vector<ScorePart>*>> of_file_;
};

std::string demotion_rule(std::uint8_t traits, std::uint8_t wanted) {
  constexpr auto kNames = std::to_array<std::pair<std::uint8_t, std::string_view>>(
      {{kTestFile, "test"},
       {kGeneratedFile, "generated"},
       {kChangelogFile, "change log"},
       {kVendoredFile, "copy of another project"},
       {kLocaleFile, "translation"},
       {kExampleFile, "example"}});
  std::string rule = "demotion";
  for (const auto& [trait, name] : kNames) {
    if ((traits & trait & ~wanted) == 0) continue;
    rule += (rule.contains(':') ? ", " : ": ") + std::string(name);
  }
  return rule;
}

std::string_view role_rule(FileRole role) {
  switch (role) {
    case FileRole::kSource:
      return "source_for_documents";
    case FileRole::kDeclaration:
      return "declarations";
    case FileRole::kOther:
      return "other";
    case FileRole::kProse:
      return "prose_for_code";
    case FileRole::kData:
      return "data";
    case FileRole::kProject:
      return "project";
  }
  return "role";
}

std::vector<ScoreFactor> factors_of(const Shard& shard, const Question& question,
                                    const RankedPassage& ranked) {
  std::vector<ScoreFactor> factors;
  const auto add = [&](std::string rule, double value) {
    if (value != 1) factors.push_back({std::move(rule), value});
  };
  add(demotion_rule(shard.table->traits(ranked.file), question.wanted_traits),
      ranked.factors.demotion);
  add(std::string(role_rule(role_of(shard.path(ranked.file)))), ranked.factors.role);
  add("repeat", ranked.factors.repeat);
  add("twin", ranked.factors.twin);
  add("imported", ranked.factors.imported);
  return factors;
}

}  // namespace

std::vector<Explanation> explain(std::span<const Shard> shards, const Question& question,
                                 const RankingWeights& weights,
                                 std::span<const RankedPassage> ranked, Executor& executor) {
  const Statistics all = statistics_of(shards);
  const auto postings = find_terms(shards, question, executor);
  const std::vector<WeighedTerm> terms = weigh(postings, question, all, weights.rarity);
  std::vector<Explanation> explained(ranked.size());
  std::vector<PartRecorder> recorders(shards.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const RankedPassage& one = ranked[i];
    recorders[one.shard].follow(one, explained[i].parts);
    explained[i].factors = factors_of(shards[one.shard], question, one);
  }
  ScoreBuffers buffers;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    ShardScores scores(shards[i], all, weights, buffers, &recorders[i]);
    for (const WeighedTerm& term : terms) scores.add(term, postings[i]);
    scores.mention(question.mentioned);
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    std::vector<ScorePart>& parts = explained[i].parts;
    if (ranked[i].siblings != 0) {
      parts.push_back({std::string(name_of(Evidence::kSiblings)), "", ranked[i].siblings});
    }
    std::ranges::stable_sort(parts, std::ranges::greater{}, &ScorePart::value);
  }
  return explained;
}

}  // namespace quarry::corpus
