#include "corpus/query/shard_scores.h"

#include "corpus/text/file_traits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace quarry::corpus {
namespace {

constexpr std::size_t kPassagesPerFile = 3;

double rarity(double all, double having, double power) {
  return std::pow(std::log(1 + (all - having + 0.5) / (having + 0.5)), power);
}

double saturate(double count, double k1, double b, double relative_length) {
  return count * (k1 + 1) / (count + k1 * (1 - b + b * relative_length));
}

/// The best mention of a file, and its term.
struct BestMention {
  double match = 0;
  std::string_view term;
};

void keep_best(std::vector<RankedPassage>& out, std::size_t first) {
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
  if (out.end() - begin <= static_cast<std::ptrdiff_t>(kPassagesPerFile)) return;
  const auto kept = begin + static_cast<std::ptrdiff_t>(kPassagesPerFile);
  std::ranges::partial_sort(begin, kept, out.end(), std::ranges::greater{},
                            [](const RankedPassage& r) { return std::pair(r.score, ~r.passage); });
  out.erase(kept, out.end());
}

}  // namespace

Statistics statistics_of(std::span<const Shard> shards) {
  Statistics all;
  double length = 0;
  for (const Shard& shard : shards) {
    all.passages += shard.table->passage_count();
    all.files += shard.table->file_count();
    length += static_cast<double>(shard.table->total_length());
  }
  all.average_passage = std::max(1.0, length / std::max(1.0, all.passages));
  all.average_file = std::max(1.0, length / std::max(1.0, all.files));
  return all;
}

std::vector<WeighedTerm> weigh(std::span<const Shard> shards, const Question& question,
                               const Statistics& all, double power) {
  std::vector<WeighedTerm> weighed;
  for (const QuestionTerm& term : question.terms) {
    double passages = 0;
    double files = 0;
    for (const Shard& shard : shards) {
      const TermPostings postings = shard.table->find(term.term);
      passages += postings.passages;
      files += postings.files;
    }
    if (passages == 0) continue;
    weighed.push_back({&term, term.weight * rarity(all.passages, passages, power),
                       term.weight * rarity(all.files, files, power)});
  }
  return weighed;
}

double demotion_of(std::uint8_t traits, std::uint8_t wanted, double strength) {
  struct Demotion {
    std::uint8_t trait;
    double factor;
  };
  constexpr std::array kDemotions = {
      Demotion{kTestFile, 0.65},     Demotion{kGeneratedFile, 0.75}, Demotion{kChangelogFile, 0.6},
      Demotion{kVendoredFile, 0.85}, Demotion{kLocaleFile, 0.5},     Demotion{kExampleFile, 0.9},
  };
  double factor = 1;
  for (const Demotion& demotion : kDemotions) {
    if ((traits & demotion.trait & ~wanted) != 0) factor *= demotion.factor;
  }
  return 1 - strength * (1 - factor);
}

ShardScores::ShardScores(const Shard& shard, const Statistics& all, const RankingWeights& weights,
                         ScoreRecorder* recorder)
    : table_(*shard.table),
      all_(all),
      weights_(weights),
      recorder_(recorder),
      passages_(table_.passage_count(), 0.0F),
      files_(table_.file_count(), 0.0F) {}

void ShardScores::add(const WeighedTerm& term) {
  const QuestionTerm& asked = *term.asked;
  PostingCursor at = table_.walk(table_.find(asked.term));
  switch (asked.kind) {
    case TermKind::kText:
    case TermKind::kAlternative:
      return add_text(term, at);
    case TermKind::kDefinition:
      while (at.next()) {
        add_to_passage(at.passage(), asked.evidence, asked.term, term.passage_weight);
      }
      return;
    case TermKind::kPath:
      while (at.next()) {
        const double count = at.count();
        add_to_file(table_.file_of(at.passage()), asked.evidence, asked.term,
                    term.file_weight * 2 * count / (count + 1));
      }
  }
}

void ShardScores::mention(const Shard& shard, std::span<const Mention> mentions) {
  std::unordered_map<FileId, BestMention> best;
  for (const Mention& mention : mentions) {
    const double share = mention.in_first_line ? 1 : weights_.mention_body;
    PostingCursor at = table_.walk(table_.find(mention.term));
    while (at.next()) {
      const FileId id = table_.file_of(at.passage());
      const double match = share * mention_match(mention, shard.path(id));
      if (match > best[id].match) best[id] = {match, mention.term};
    }
  }
  for (const auto& [file, found] : best) {
    if (found.match > 0) {
      add_to_file(file, Evidence::kMention, found.term, weights_.mention * found.match);
    }
  }
}

void ShardScores::collect(std::uint32_t shard, const Shard& access, std::uint8_t wanted,
                          std::vector<RankedPassage>& out) const {
  for (FileId file = 0; file < files_.size(); ++file) {
    const auto [begin, end] = table_.passages_of(file);
    if (begin == end || (files_[file] == 0 && !scored(begin, end))) continue;
    if (!access.admits(file)) continue;
    const double factor = demotion_of(table_.traits(file), wanted, weights_.demotion);
    const std::size_t first = out.size();
    for (PassageId p = begin; p < end; ++p) {
      if (p != begin && passages_[p] <= 0) continue;
      out.push_back({.shard = shard,
                     .file = file,
                     .passage = p,
                     .score = factor * (passages_[p] + files_[file]),
                     .factors = {.demotion = factor}});
    }
    keep_best(out, first);
    add_siblings(std::span(out).subspan(first), factor);
  }
}

/// Adds to the passages of one file a share of the own scores of its second and third best.
void ShardScores::add_siblings(std::span<RankedPassage> passages, double factor) const {
  double more = 0;
  for (const RankedPassage& next : passages.subspan(1)) more += passages_[next.passage];
  for (RankedPassage& passage : passages) {
    passage.siblings = weights_.siblings * more;
    passage.score += factor * passage.siblings;
  }
}

void ShardScores::add_text(const WeighedTerm& term, PostingCursor& at) {
  FileId file = 0;
  double in_file = 0;
  while (at.next()) {
    const PassageId p = at.passage();
    const double count = at.count();
    const double relative = table_.length(p) / all_.average_passage;
    add_to_passage(p, term.asked->evidence, term.asked->term,
                   term.passage_weight * saturate(count, weights_.k1, weights_.b, relative));
    if (table_.file_of(p) != file) {
      end_file(term, file, in_file);
      file = table_.file_of(p);
      in_file = 0;
    }
    in_file += count;
  }
  end_file(term, file, in_file);
}

void ShardScores::end_file(const WeighedTerm& term, FileId file, double count) {
  if (count == 0) return;
  const double relative = table_.file_length(file) / all_.average_file;
  add_to_file(file, Evidence::kFile, term.asked->term,
              weights_.file * term.file_weight *
                  saturate(count, weights_.file_k1, weights_.file_b, relative));
}

void ShardScores::add_to_passage(PassageId passage, Evidence evidence, std::string_view term,
                                 double amount) {
  passages_[passage] += static_cast<float>(amount);
  if (recorder_ != nullptr) recorder_->passage(passage, evidence, term, amount);
}

void ShardScores::add_to_file(FileId file, Evidence evidence, std::string_view term,
                              double amount) {
  files_[file] += static_cast<float>(amount);
  if (recorder_ != nullptr) recorder_->file(file, evidence, term, amount);
}

bool ShardScores::scored(PassageId begin, PassageId end) const {
  return std::any_of(passages_.begin() + begin, passages_.begin() + end,
                     [](float score) { return score > 0; });
}

}  // namespace quarry::corpus
