#include "symbols_tree_sitter/analyser.h"

#include "symbols_tree_sitter/json.h"
#include "symbols_tree_sitter/memory.h"
#include "symbols_tree_sitter/outline.h"
#include "symbols_tree_sitter/references.h"
#include "symbols_tree_sitter/second_look.h"

#include <quarry/json.hpp>

#include <algorithm>
#include <utility>

namespace quarry::symbols_tree_sitter {
namespace {

/// Counts changes of this folder's rules; those of queries and grammars are told apart by
/// themselves.
constexpr std::string_view kRules = "1";

/// FNV-1a.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  return hash;
}

}  // namespace

Outcome<std::unique_ptr<Analyser>> Analyser::create(const Language& language, Limits limits) {
  use_limited_memory();
  auto query = Query::compile(language);
  if (!query) return query.failure();
  return std::unique_ptr<Analyser>(new Analyser(language, std::move(*query), limits));
}

std::string Analyser::describe() const {
  const std::string results = std::string(kRules) + '-' + std::string(language_.version) + '-' +
                              std::to_string(digest(language_.query));
  return R"({"title":)" + json::quoted(language_.title) + R"(,"results":)" + json::quoted(results) +
         '}';
}

Outcome<std::vector<Definition>> Analyser::find(const Budget& budget, const Tree& tree,
                                                std::string_view text) const {
  const TSNode root = ts_tree_root_node(tree.get());
  auto findings = query_.run(budget, root, text);
  if (findings && language_.second_look != SecondLook::kNone) {
    findings = look_again(budget, language_, query_, text, root, std::move(*findings));
  }
  if (!findings) return findings.failure();
  return outline(std::move(*findings), text, language_.second_look != SecondLook::kPreprocessor);
}

Outcome<std::string> Analyser::within_limits(const Call& call, const Work& work) const {
  const Memory memory(limits_.memory);
  const Budget budget(call, limits_);
  try {
    return work(budget);
  } catch (const MemoryExhausted&) {
    return budget.out_of_memory();
  }
}

Outcome<std::string> Analyser::definitions(const Call& call, std::string_view text) const {
  return within_limits(call, [&](const Budget& budget) -> Outcome<std::string> {
    auto tree = parse(budget, language_.grammar(), text);
    if (!tree) return tree.failure();
    auto definitions = find(budget, *tree, text);
    if (!definitions) return definitions.failure();
    return definitions_json(*definitions);
  });
}

Outcome<std::string> Analyser::references(const Call& call, std::string_view text,
                                          std::string_view name) const {
  const auto offsets = words(text, name);
  if (offsets.empty()) return lines_json({}, text);
  return within_limits(call, [&](const Budget& budget) -> Outcome<std::string> {
    auto tree = parse(budget, language_.grammar(), text);
    if (!tree) return tree.failure();
    auto definitions = find(budget, *tree, text);
    if (!definitions) return definitions.failure();
    auto found = names_among(offsets, ts_tree_root_node(tree->get()), text, name);
    std::erase_if(found, [&](std::uint32_t offset) {
      return std::ranges::binary_search(*definitions, offset, {}, &Definition::name_byte);
    });
    return lines_json(found, text);
  });
}

}  // namespace quarry::symbols_tree_sitter
