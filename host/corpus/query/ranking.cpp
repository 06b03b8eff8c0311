#include "corpus/query/ranking.h"

#include "base/text.h"
#include "corpus/query/candidates.h"
#include "corpus/text/file_traits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>

namespace quarry::corpus {
namespace {

constexpr std::size_t kPassagesPerFile = 3;
constexpr std::size_t kCandidates = 400;  // passages that are compared with each other

/// Totals over all shards for the formula.
struct Statistics {
  double passages = 0;
  double files = 0;
  double average_passage = 1;
  double average_file = 1;
};

Statistics gather(std::span<const Shard> shards) {
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

/// A term of the question with its weights.
struct WeighedTerm {
  const QuestionTerm* asked;
  double passage_weight;  // weight × inverse passage frequency
  double file_weight;     // weight × inverse file frequency
};

double rarity(double all, double having, double power) {
  return std::pow(std::log(1 + (all - having + 0.5) / (having + 0.5)), power);
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

double saturate(double count, double k1, double b, double relative_length) {
  return count * (k1 + 1) / (count + k1 * (1 - b + b * relative_length));
}

/// Factor of a file's score, less than 1 for kinds of files that seldom answer.
double prior(std::uint8_t traits, std::uint8_t wanted, double strength) {
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

/// Scores of one shard's passages and files, term by term.
class ShardScores {
 public:
  ShardScores(const Shard& shard, const Statistics& all, const RankingWeights& weights)
      : table_(*shard.table),
        all_(all),
        weights_(weights),
        passages_(table_.passage_count(), 0.0F),
        files_(table_.file_count(), 0.0F) {}

  void add(const WeighedTerm& term) {
    PostingCursor at = table_.walk(table_.find(term.asked->term));
    switch (term.asked->kind) {
      case TermKind::kText:
      case TermKind::kAlternative:
        return add_text(term, at);
      case TermKind::kDefinition:
        while (at.next()) passages_[at.passage()] += static_cast<float>(term.passage_weight);
        return;
      case TermKind::kPath:
        while (at.next()) {
          const double count = at.count();
          files_[table_.file_of(at.passage())] +=
              static_cast<float>(term.file_weight * 2 * count / (count + 1));
        }
    }
  }

  /// Rewards files that the question mentions by name, each for its best mention.
  void mention(const Shard& shard, std::span<const Mention> mentions) {
    std::unordered_map<FileId, double> best;
    for (const Mention& mention : mentions) {
      const double share = mention.in_first_line ? 1 : weights_.mention_body;
      PostingCursor at = table_.walk(table_.find(mention.term));
      while (at.next()) {
        const FileId id = table_.file_of(at.passage());
        const double match = share * mention_match(mention, shard.path(id));
        if (match > 0) best[id] = std::max(best[id], match);
      }
    }
    for (const auto& [file, match] : best) {
      files_[file] += static_cast<float>(weights_.mention * match);
    }
  }

  /// The best passages of every file that has any score.
  void collect(std::uint32_t shard, const Shard& access, std::uint8_t wanted,
               std::vector<RankedPassage>& out) const {
    for (FileId file = 0; file < files_.size(); ++file) {
      const PassageId begin = table_.first_passage(file);
      const PassageId end = table_.first_passage(file + 1);
      if (begin == end || (files_[file] == 0 && !scored(begin, end))) continue;
      if (!access.admits(file)) continue;
      const double factor = prior(table_.traits(file), wanted, weights_.demotion);
      const std::size_t first = out.size();
      for (PassageId p = begin; p < end; ++p) {
        if (p == begin || passages_[p] > 0) {
          out.push_back({shard, file, p, factor * (passages_[p] + files_[file])});
        }
      }
      keep_best(out, first);
      add_siblings(std::span(out).subspan(first), factor * files_[file]);
    }
  }

 private:
  /// Adds to the passages of one file a share of the own scores of its second and third best.
  void add_siblings(std::span<RankedPassage> passages, double of_file) const {
    double more = 0;
    for (const RankedPassage& next : passages.subspan(1)) more += next.score - of_file;
    for (RankedPassage& passage : passages) passage.score += weights_.siblings * more;
  }

  void add_text(const WeighedTerm& term, PostingCursor& at) {
    FileId file = 0;
    double in_file = 0;
    while (at.next()) {
      const PassageId p = at.passage();
      const double count = at.count();
      passages_[p] += static_cast<float>(
          term.passage_weight *
          saturate(count, weights_.k1, weights_.b, table_.length(p) / all_.average_passage));
      if (table_.file_of(p) != file) {
        end_file(term, file, in_file);
        file = table_.file_of(p);
        in_file = 0;
      }
      in_file += count;
    }
    end_file(term, file, in_file);
  }

  void end_file(const WeighedTerm& term, FileId file, double count) {
    if (count == 0) return;
    const double relative = table_.file_length(file) / all_.average_file;
    files_[file] +=
        static_cast<float>(weights_.file * term.file_weight *
                           saturate(count, weights_.file_k1, weights_.file_b, relative));
  }

  [[nodiscard]] bool scored(PassageId begin, PassageId end) const {
    return std::any_of(passages_.begin() + begin, passages_.begin() + end,
                       [](float score) { return score > 0; });
  }

  static void keep_best(std::vector<RankedPassage>& out, std::size_t first) {
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    if (out.end() - begin <= static_cast<std::ptrdiff_t>(kPassagesPerFile)) return;
    const auto kept = begin + static_cast<std::ptrdiff_t>(kPassagesPerFile);
    std::ranges::partial_sort(
        begin, kept, out.end(), std::ranges::greater{},
        [](const RankedPassage& r) { return std::pair(r.score, ~r.passage); });
    out.erase(kept, out.end());
  }

  const WordTable& table_;
  const Statistics& all_;
  const RankingWeights& weights_;
  std::vector<float> passages_;
  std::vector<float> files_;
};

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
  const Statistics all = gather(shards);
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
