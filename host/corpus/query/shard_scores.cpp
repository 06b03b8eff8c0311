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

/// Sums of floats in another order differ by less.
constexpr double kRoundedUp = 1.001;

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

std::vector<ShardPostings> find_terms(std::span<const Shard> shards, const Question& question,
                                      Executor& executor) {
  std::vector<ShardPostings> postings(shards.size());
  parallel_for(executor, shards.size(), [&](std::size_t i) {
    postings[i].reserve(question.terms.size());
    for (const QuestionTerm& term : question.terms) {
      postings[i].push_back(shards[i].table->find(term.term));
    }
  });
  return postings;
}

std::vector<WeighedTerm> weigh(std::span<const ShardPostings> postings, const Question& question,
                               const Statistics& all, double power) {
  std::vector<WeighedTerm> weighed;
  for (std::size_t i = 0; i < question.terms.size(); ++i) {
    double passages = 0;
    double files = 0;
    for (const ShardPostings& in_shard : postings) {
      passages += in_shard[i].passages;
      files += in_shard[i].files;
    }
    if (passages == 0) continue;
    const QuestionTerm& term = question.terms[i];
    weighed.push_back({&term, i, term.weight * rarity(all.passages, passages, power),
                       term.weight * rarity(all.files, files, power)});
  }
  return weighed;
}

double demotion_of(std::uint8_t traits, std::uint8_t wanted, const RankingWeights& weights) {
  struct Demotion {
    std::uint8_t trait;
    double factor;
  };
  const std::array kDemotions = {
      Demotion{kTestFile, weights.tests},
      Demotion{kGeneratedFile, weights.generated},
      Demotion{kChangelogFile, weights.change_logs},
      Demotion{kVendoredFile, weights.vendored},
      Demotion{kLocaleFile, weights.translations},
      Demotion{kExampleFile, weights.examples},
  };
  double factor = 1;
  for (const Demotion& demotion : kDemotions) {
    if ((traits & demotion.trait & ~wanted) != 0) factor *= demotion.factor;
  }
  return factor;
}

ShardScores::ShardScores(const Shard& shard, const Statistics& all, const RankingWeights& weights,
                         ScoreBuffers& buffers, ScoreRecorder* recorder)
    : shard_(shard),
      table_(*shard.table),
      all_(all),
      weights_(weights),
      buffers_(buffers),
      recorder_(recorder) {
  const std::size_t passages = table_.passage_count();
  const std::size_t files = table_.file_count();
  if (buffers.passages.size() < passages) buffers.passages.resize(passages);
  if (buffers.files.size() < files) buffers.files.resize(files);
  if (buffers.most.size() < files) buffers.most.resize(files);
  if (buffers.is_scored.size() < files) buffers.is_scored.resize(files);
}

/// Zeroes what was scored.
ShardScores::~ShardScores() {
  for (const FileId file : buffers_.scored) {
    const auto [begin, end] = table_.passages_of(file);
    std::fill(buffers_.passages.begin() + begin, buffers_.passages.begin() + end, 0.0F);
    buffers_.files[file] = 0;
    buffers_.most[file] = 0;
    buffers_.is_scored[file] = false;
  }
  buffers_.scored.clear();
}

void ShardScores::add(const WeighedTerm& term, const ShardPostings& postings) {
  const QuestionTerm& asked = *term.asked;
  PostingCursor at = table_.walk(postings[term.number]);
  switch (asked.kind) {
    case TermKind::kText:
    case TermKind::kAlternative:
      return add_text(term, at);
    case TermKind::kDefinition:
      while (at.next()) {
        const FileId file = table_.file_of(at.passage());
        if (term.passage_weight != 0) mark_scored(file);
        buffers_.most[file] += static_cast<float>(term.passage_weight);
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

void ShardScores::mention(std::span<const Mention> mentions) {
  std::unordered_map<FileId, BestMention> best;
  for (const Mention& mention : mentions) {
    const double share = mention.place == PartKind::kTitle ? 1 : weights_.mention_body;
    PostingCursor at = table_.walk(table_.find(mention.term));
    while (at.next()) {
      const FileId id = table_.file_of(at.passage());
      const double match = share * mention_match(mention, shard_.path(id));
      if (match > best[id].match) best[id] = {match, mention.term};
    }
  }
  for (const auto& [file, found] : best) {
    if (found.match > 0) {
      add_to_file(file, Evidence::kMention, found.term, weights_.mention * found.match);
    }
  }
}

void ShardScores::collect(std::uint32_t shard, std::uint8_t wanted, double least,
                          std::vector<RankedPassage>& out) const {
  for (const FileId file : buffers_.scored) {
    const double factor = demotion_of(table_.traits(file), wanted, weights_);
    const double most =
        factor * ((1 + 2 * weights_.siblings) * buffers_.most[file] + buffers_.files[file]);
    if (most * kRoundedUp < least || !shard_.admits(file)) continue;
    collect_file(file, shard, factor, out);
  }
}

void ShardScores::collect_file(FileId file, std::uint32_t shard, double factor,
                               std::vector<RankedPassage>& out) const {
  const auto [begin, end] = table_.passages_of(file);
  const std::size_t first = out.size();
  for (PassageId p = begin; p < end; ++p) {
    if (p != begin && buffers_.passages[p] <= 0) continue;
    out.push_back({.shard = shard,
                   .file = file,
                   .passage = p,
                   .score = factor * (buffers_.passages[p] + buffers_.files[file]),
                   .factors = {.demotion = factor}});
  }
  if (out.size() == first) return;
  keep_best(out, first);
  add_siblings(std::span(out).subspan(first), factor);
}

/// Adds to the passages of one file a share of the own scores of its second and third best.
void ShardScores::add_siblings(std::span<RankedPassage> passages, double factor) const {
  double more = 0;
  for (const RankedPassage& next : passages.subspan(1)) more += buffers_.passages[next.passage];
  for (RankedPassage& passage : passages) {
    passage.siblings = weights_.siblings * more;
    passage.score += factor * passage.siblings;
  }
}

void ShardScores::add_text(const WeighedTerm& term, PostingCursor& at) {
  FileId file = 0;
  double in_file = 0;
  double most = 0;  // of a passage of the file
  while (at.next()) {
    const PassageId p = at.passage();
    const double count = at.count();
    const double relative = table_.length(p) / all_.average_passage;
    const double amount = term.passage_weight * saturate(count, weights_.k1, weights_.b, relative);
    add_to_passage(p, term.asked->evidence, term.asked->term, amount);
    if (table_.file_of(p) != file) {
      end_file(term, file, in_file, most);
      file = table_.file_of(p);
      in_file = 0;
      most = 0;
    }
    in_file += count;
    most = std::max(most, amount);
  }
  end_file(term, file, in_file, most);
}

void ShardScores::end_file(const WeighedTerm& term, FileId file, double count, double most) {
  if (count == 0) return;
  buffers_.most[file] += static_cast<float>(most);
  const double relative = table_.file_length(file) / all_.average_file;
  add_to_file(file, Evidence::kFile, term.asked->term,
              weights_.file * term.file_weight *
                  saturate(count, weights_.file_k1, weights_.file_b, relative));
}

void ShardScores::add_to_passage(PassageId passage, Evidence evidence, std::string_view term,
                                 double amount) {
  buffers_.passages[passage] += static_cast<float>(amount);
  if (recorder_ != nullptr) recorder_->passage(passage, evidence, term, amount);
}

void ShardScores::add_to_file(FileId file, Evidence evidence, std::string_view term,
                              double amount) {
  if (amount != 0) mark_scored(file);
  buffers_.files[file] += static_cast<float>(amount);
  if (recorder_ != nullptr) recorder_->file(file, evidence, term, amount);
}

void ShardScores::mark_scored(FileId file) {
  if (buffers_.is_scored[file]) return;
  buffers_.is_scored[file] = true;
  buffers_.scored.push_back(file);
}

}  // namespace quarry::corpus
