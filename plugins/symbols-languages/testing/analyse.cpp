#include "symbols-languages/testing/analyse.h"

#include <all_languages.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <nlohmann/json.hpp>

namespace quarry::symbols_tree_sitter::testing {
namespace {

/// Short, for texts that no limit but that of time ends.
const Limits kLimits{.time = std::chrono::milliseconds(200)};

[[noreturn]] void fail(const Failure& failure) {
  std::fprintf(stderr, "%s\n", failure.message.c_str());
  std::abort();
}

std::string value(Outcome<std::string> answer) {
  if (!answer) fail(answer.failure());
  return *answer;
}

using Analysers = std::map<std::string, std::unique_ptr<Analyser>, std::less<>>;

const Analyser& shared(Analysers& made, std::string_view wanted, const Limits& limits) {
  auto& kept = made[std::string(wanted)];
  if (kept == nullptr) kept = make_analyser(wanted, limits);
  return *kept;
}

}  // namespace

std::vector<std::string> all_languages() {
  std::vector<std::string> names;
  for (const auto& [name, language] : kLanguages) names.emplace_back(name);
  return names;
}

std::unique_ptr<Analyser> make_analyser(std::string_view wanted, const Limits& limits) {
  for (const auto& [name, language] : kLanguages) {
    if (name != wanted) continue;
    auto created = Analyser::create(language(), limits);
    if (!created) fail(created.failure());
    return std::move(*created);
  }
  fail({QUARRY_INTERNAL, "no such language: " + std::string(wanted), {}, {}});
}

const Analyser& analyser(std::string_view wanted) {
  static Analysers made;
  return shared(made, wanted, kLimits);
}

const Analyser& patient_analyser(std::string_view wanted) {
  static Analysers made;
  return shared(made, wanted, {.time = std::chrono::hours(1)});
}

quarry_call endless_call() {
  return {sizeof(quarry_call), nullptr, [](const quarry_call*) { return QUARRY_OK; },
          [](const quarry_call*) -> std::int64_t { return INT64_MAX; },
          [](const quarry_call*, quarry_text) {}};
}

std::string definitions(std::string_view language, std::string_view text) {
  const quarry_call call = endless_call();
  return value(patient_analyser(language).definitions(Call(&call), text));
}

std::string outline(std::string_view language, std::string_view text) {
  const auto json = nlohmann::json::parse(definitions(language, text));
  std::string out;
  const auto& all = json.at("definitions");
  for (const auto& one : all) {
    out += one[0].get<std::string>() + ' ' + one[1].get<std::string>() + " @" + one[2].dump() +
           ' ' + one[3].dump() + '-' + one[4].dump();
    const auto parent = one[5].get<std::int64_t>();
    if (parent >= 0) out += ' ' + all[static_cast<std::size_t>(parent)][1].get<std::string>();
    out += '\n';
  }
  return out;
}

std::string references(std::string_view language, std::string_view text, std::string_view name) {
  const quarry_call call = endless_call();
  return value(patient_analyser(language).references(Call(&call), text, name));
}

}  // namespace quarry::symbols_tree_sitter::testing
