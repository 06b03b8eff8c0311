#include "corpus/query/candidates.h"

#include "corpus/text/file_role.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

namespace quarry::corpus {
namespace {

/// Order by file, the best passage of each first.
bool by_file(const RankedPassage& a, const RankedPassage& b) {
  if (a.shard != b.shard || a.file != b.file) {
    return std::tie(a.shard, a.file) < std::tie(b.shard, b.file);
  }
  return is_better(a, b);
}

bool same_file(const RankedPassage& a, const RankedPassage& b) {
  return a.shard == b.shard && a.file == b.file;
}

double role_factor(FileRole role, AnswerKind answer_kind, const RankingWeights& weights) {
  const double source =
      answer_kind == AnswerKind::kDocumentation ? weights.source_for_documents : 1;
  switch (role) {
    case FileRole::kSource:
      return source;
    case FileRole::kDeclaration:
      return source * weights.declarations;
    case FileRole::kOther:
      return source * weights.other;
    case FileRole::kProse:
      return answer_kind == AnswerKind::kCode ? weights.prose_for_code : 1;
    case FileRole::kData:
      return answer_kind == AnswerKind::kDocumentation ? 1 : weights.data;
    case FileRole::kProject:
      return weights.project;
  }
  return 1;
}

/// Lowers files whose role seldom answers a question of this kind.
void weigh_roles(std::span<const Shard> shards, AnswerKind answer_kind,
                 const RankingWeights& weights, std::vector<RankedPassage>& found) {
  double factor = 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == 0 || !same_file(found[i], found[i - 1])) {
      factor =
          role_factor(role_of(shards[found[i].shard].path(found[i].file)), answer_kind, weights);
    }
    found[i].score *= factor;
    found[i].factors.role = factor;
  }
}

/// Lowers all but the best passage of each file.
void spread(std::vector<RankedPassage>& found, double repeat) {
  double factor = 1;
  for (std::size_t i = 1; i < found.size(); ++i) {
    factor = same_file(found[i], found[i - 1]) ? factor * repeat : 1;
    found[i].score *= factor;
    found[i].factors.repeat = factor;
  }
}

std::string_view suffix_of(std::string_view path) {
  return path.substr(std::min(path.rfind('.'), path.size()));
}

/// Lowers all but the best form of a file: a page's source, HTML and manual page, a script's
/// source and what was compiled from it.
void demote_forms(std::span<const Shard> shards, double factor, std::vector<RankedPassage>& found) {
  std::ranges::sort(found, is_better);
  std::unordered_map<std::string, std::string_view> best_form;
  for (RankedPassage& ranked : found) {
    const std::string_view path = shards[ranked.shard].path(ranked.file);
    std::string key = form_key(path);
    if (key.empty()) continue;
    const bool is_script = key.front() == '/';  // with its folders, which a page's key lacks
    const auto [at, is_new] = best_form.try_emplace(std::move(key), path);
    const std::string_view best = at->second;
    const bool is_other = is_script ? best != path : suffix_of(best) != suffix_of(path);
    if (is_new || !is_other) continue;
    ranked.score *= factor;
    ranked.factors.twin = factor;
  }
}

}  // namespace

bool is_better(const RankedPassage& a, const RankedPassage& b) {
  if (a.score != b.score) return a.score > b.score;
  return std::tie(a.shard, a.passage) < std::tie(b.shard, b.passage);
}

void adjust_candidates(std::span<const Shard> shards, const Question& question,
                       const RankingWeights& weights, std::vector<RankedPassage>& found) {
  std::ranges::sort(found, by_file);
  weigh_roles(shards, question.answer_kind, weights, found);
  spread(found, weights.repeat);
  demote_forms(shards, weights.twin, found);
}

}  // namespace quarry::corpus
