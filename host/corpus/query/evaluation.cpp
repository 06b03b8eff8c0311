#include "corpus/query/evaluation.h"

#include "base/json.h"
#include "base/json_member.h"
#include "base/text.h"

#include <algorithm>
#include <functional>
#include <random>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr double kTail = 0.025;  // of the resampled means, outside the interval at either end

Error malformed(std::size_t line, const std::string& problem) {
  return {Code::kInvalidArgument, "line " + std::to_string(line) + ": " + problem,
          "Write one JSON object a line, such as "
          "{\"question\": \"How …?\", \"files\": [\"docs/a.md\"]}."};
}

bool flag_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

Result<std::set<std::string>> files_of(const Json& object, std::size_t line) {
  std::set<std::string> files;
  const auto found = object.find("files");
  if (found == object.end() || !found->is_array()) {
    return malformed(line, "\"files\" must be a list of paths");
  }
  for (const Json& file : *found) {
    if (!file.is_string()) return malformed(line, "\"files\" must be a list of paths");
    files.insert(file.get<std::string>());
  }
  if (files.empty()) return malformed(line, "\"files\" names no file");
  return files;
}

Result<JudgedQuestion> read_question(std::string_view text, std::size_t line) {
  const Result<Json> json = parse_json(text);
  if (!json) return malformed(line, json.error().message);
  if (!json->is_object()) return malformed(line, "this is not a JSON object");
  JudgedQuestion judged;
  judged.tree = text_of(*json, "tree");
  judged.split = text_of(*json, "split");
  judged.kind = text_of(*json, "kind");
  judged.style = text_of(*json, "style");
  judged.origin = text_of(*json, "origin");
  judged.language = text_of(*json, "language");
  judged.names_identifier = flag_member(*json, "names_identifier");
  judged.question = text_of(*json, "question");
  if (judged.question.empty()) return malformed(line, "\"question\" must be a text");
  Result<std::set<std::string>> files = files_of(*json, line);
  if (!files) return files.error();
  judged.files = std::move(*files);
  return judged;
}

using Score = std::function<double(std::uint32_t rank)>;

/// Mean score of ranks, and of samples with replacement.
Measure measure(std::span<const std::uint32_t> ranks, const Score& score) {
  std::vector<double> scores;
  for (const std::uint32_t rank : ranks) scores.push_back(score(rank));
  const double count = static_cast<double>(scores.size());
  double sum = 0;
  for (const double one : scores) sum += one;

  std::mt19937_64 random(1);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sampled = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) sampled += scores[random() % scores.size()];
    mean = sampled / count;
  }
  std::ranges::sort(means);
  const auto tail = static_cast<std::size_t>(kTail * kResamples);
  return {sum / count, means[tail], means[kResamples - 1 - tail]};
}

Score hit_within(std::uint32_t most) {
  return [most](std::uint32_t rank) { return rank != 0 && rank <= most ? 1.0 : 0.0; };
}

}  // namespace

Result<std::vector<JudgedQuestion>> read_judged_questions(std::string_view lines) {
  std::vector<JudgedQuestion> questions;
  std::size_t number = 0;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Result<JudgedQuestion> question = read_question(line, number);
    if (!question) return question.error();
    questions.push_back(std::move(*question));
  }
  return questions;
}

std::uint32_t rank_of_answer(const JudgedQuestion& question, std::span<const std::string> paths) {
  std::set<std::string_view> seen;
  for (const std::string& path : paths) {
    seen.insert(path);
    if (question.files.contains(path)) return static_cast<std::uint32_t>(seen.size());
  }
  return 0;
}

RankingQuality measure_ranks(std::span<const std::uint32_t> ranks) {
  if (ranks.empty()) return {};
  return {.questions = ranks.size(),
          .hit_1 = measure(ranks, hit_within(1)),
          .hit_5 = measure(ranks, hit_within(5)),
          .hit_10 = measure(ranks, hit_within(10)),
          .mrr = measure(ranks, [](std::uint32_t rank) { return rank == 0 ? 0.0 : 1.0 / rank; })};
}

}  // namespace quarry::corpus
