#include "cli/search_evaluation.h"

#include "base/utf8.h"
#include "cli/text_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::uint32_t kPassages = 50;
constexpr std::uint32_t kTokens = 8000;  // of an answer, the most that is permitted

Result<Json> call(Connection& connection, const std::string& method, const Json& params) {
  const auto text = connection.call(method, to_text(params));
  if (!text) return text.error();
  return parse_json(*text);
}

/// The names of the resources, as paths begin: "svelte/".
Result<std::vector<std::string>> prefixes_of(const std::vector<std::string>& resources,
                                             Connection& connection) {
  Json params{{"limit", 1000}, {"maxTokens", kTokens}};
  if (!resources.empty()) params["resources"] = resources;
  std::vector<std::string> prefixes;
  for (bool more = true; more;) {
    const auto listed = call(connection, "tools.list", params);
    if (!listed) return listed.error();
    for (const Json& entry : listed->value("entries", Json::array())) {
      prefixes.push_back(entry.value("path", ""));
    }
    more = listed->contains("cursor");
    if (more) params["cursor"] = (*listed)["cursor"];
  }
  return prefixes;
}

/// `path` without the resource's name, which may have slashes of its own.
std::string path_within(const std::string& path, std::span<const std::string> prefixes) {
  std::size_t longest = 0;
  for (const std::string& prefix : prefixes) {
    if (path.starts_with(prefix)) longest = std::max(longest, prefix.size());
  }
  return path.substr(longest);
}

/// The first line of a question, for messages.
std::string first_line_of(const std::string& question) {
  const std::size_t end = question.find('\n');
  const std::string_view line = utf8_prefix(std::string_view(question).substr(0, end), 80);
  return std::string(line) + (line.size() < question.size() ? "…" : "");
}

Json params_of(const corpus::JudgedQuestion& question, const std::vector<std::string>& resources) {
  Json params{{"query", question.question}, {"limit", kPassages}, {"maxTokens", kTokens}};
  if (!resources.empty()) {
    params["resources"] = resources;
  } else if (!question.tree.empty()) {
    params["resources"] = {question.tree};
  }
  return params;
}

Json measure_json(const corpus::Measure& measure) {
  return {{"value", measure.value}, {"low", measure.low}, {"high", measure.high}};
}

Json group_json(const std::string& name, std::span<const std::uint32_t> ranks) {
  const corpus::RankingQuality quality = corpus::measure_ranks(ranks);
  return {{"name", name},
          {"questions", quality.questions},
          {"hit1", measure_json(quality.hit_1)},
          {"hit5", measure_json(quality.hit_5)},
          {"hit10", measure_json(quality.hit_10)},
          {"mrr", measure_json(quality.mrr)}};
}

/// "0.55 [0.49-0.61]"
std::string measure_text(const Json& measure) {
  const auto number = [&](const char* member) { return fixed(measure.value(member, 0.0), 2); };
  return number("value") + " [" + number("low") + '-' + number("high") + ']';
}

}  // namespace

Result<std::vector<std::uint32_t>> ranks_of_answers(
    std::span<const corpus::JudgedQuestion> questions, const std::vector<std::string>& resources,
    Connection& connection, const OnQuestion& on_question, bool words_only) {
  const auto prefixes = prefixes_of(resources, connection);
  if (!prefixes) return prefixes.error();
  std::vector<std::uint32_t> ranks;
  for (const corpus::JudgedQuestion& question : questions) {
    on_question(ranks.size());
    Json params = params_of(question, resources);
    if (words_only) params["wordsOnly"] = true;
    auto found = call(connection, "tools.search", params);
    if (!found) return std::move(found).error().in("\"" + first_line_of(question.question) + "\"");
    std::vector<std::string> paths;
    for (const Json& hit : found->value("hits", Json::array())) {
      paths.push_back(path_within(hit.value("path", ""), *prefixes));
    }
    ranks.push_back(corpus::rank_of_answer(question, paths));
  }
  return ranks;
}

Json evaluation_of(std::span<const corpus::JudgedQuestion> questions,
                   std::span<const std::uint32_t> ranks) {
  std::map<std::string, std::vector<std::uint32_t>> groups;
  Json each = Json::array();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const corpus::JudgedQuestion& question = questions[i];
    each.push_back({{"question", question.question}, {"rank", ranks[i]}});
    for (const auto& [member, value] : {std::pair{"split", &question.split},
                                        {"kind", &question.kind},
                                        {"style", &question.style},
                                        {"origin", &question.origin},
                                        {"language", &question.language},
                                        {"tree", &question.tree}}) {
      if (!value->empty()) groups[member + (' ' + *value)].push_back(ranks[i]);
    }
  }
  Json rows = Json::array({group_json("all", ranks)});
  for (const auto& [name, group] : groups) {
    if (group.size() < questions.size()) rows.push_back(group_json(name, group));
  }
  return {{"groups", std::move(rows)}, {"ranks", std::move(each)}};
}

std::string evaluation_table(const Json& evaluation) {
  std::vector<std::vector<std::string>> rows{{"", "QUESTIONS", "HIT@1", "HIT@5", "HIT@10", "MRR"}};
  for (const Json& group : evaluation["groups"]) {
    rows.push_back({group.value("name", ""), group["questions"].dump(), measure_text(group["hit1"]),
                    measure_text(group["hit5"]), measure_text(group["hit10"]),
                    measure_text(group["mrr"])});
  }
  return text_table(std::move(rows), {false, true, false, false, false, false});
}

}  // namespace quarry::cli
