#include "symbols_tree_sitter/second_look.h"

#include "symbols_tree_sitter/macros.h"
#include "symbols_tree_sitter/preprocessor.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quarry::symbols_tree_sitter {
namespace {

/// Branches of one conditional that are read; further ones rarely define what the first do not.
constexpr std::uint32_t kBranches = 4;

/// Bytes in nodes of errors.
std::size_t errors_below(TSNode root) {
  std::size_t bytes = 0;
  TreeCursor cursor(root);
  for (bool more = true; more;) {
    const TSNode node = cursor.node();
    if (ts_node_is_missing(node)) ++bytes;
    const bool error = ts_node_symbol(node) == static_cast<TSSymbol>(-1);
    if (error) bytes += ts_node_end_byte(node) - ts_node_start_byte(node);
    if (!error && ts_node_has_error(node) && cursor.first_child()) continue;
    more = cursor.next_after();
  }
  return bytes;
}

bool is_within(const std::vector<Region>& regions, std::uint32_t byte) {
  return std::ranges::any_of(
      regions, [&](const Region& region) { return region.begin <= byte && byte < region.end; });
}

void drop_dead(Findings& findings, const std::vector<Region>& dead) {
  if (dead.empty()) return;
  std::erase_if(findings.definitions,
                [&](const Definition& one) { return is_within(dead, one.name_byte); });
}

/// Branches that `number` shows and the numbers before it do not.
std::vector<Region> branches_of(const Conditionals& conditionals, std::uint32_t number,
                                std::string_view text) {
  std::vector<Region> regions;
  for (const Branch& branch : conditionals.branches) {
    const auto lines = text.substr(branch.lines.begin, branch.lines.end - branch.lines.begin);
    const bool defines = lines.find_first_of("({;,") != lines.npos;
    if (branch.number == number && defines) regions.push_back(branch.lines);
  }
  return regions;
}

/// The text with a semicolon for the last blank before "<" that begins a line.
std::string separate_signatures(std::string_view text) {
  std::string out(text);
  for (auto at = out.find('<'); at != out.npos; at = out.find('<', at + 1)) {
    const auto before = at == 0 ? out.npos : out.find_last_not_of(" \t", at - 1);
    if (before != out.npos && before + 1 < at && out[before] == '\n') out[at - 1] = ';';
  }
  return out;
}

/// The text with a semicolon for the blank before "}" after other characters of its line.
std::string end_bodies(std::string_view text) {
  constexpr std::string_view kNoStatement = "\n{;,";
  std::string out(text);
  for (auto at = out.find('}'); at != out.npos; at = out.find('}', at + 1)) {
    if (at < 2 || out[at - 1] != ' ') continue;
    const auto before = out.find_last_not_of(" \t\r", at - 1);
    if (before != out.npos && !kNoStatement.contains(out[before])) out[at - 1] = ';';
  }
  return out;
}

class Rereader {
 public:
  Rereader(const Budget& budget, const Language& language, const Query& query,
           std::string_view text, const Conditionals& conditionals)
      : budget_(budget),
        language_(language),
        query_(query),
        text_(text),
        conditionals_(conditionals) {}

  /// Its findings with their errors.
  Outcome<std::pair<Findings, std::size_t>> read(std::uint32_t number) const {
    const std::string variant = text_with(number);
    auto tree = parse(budget_, language_.grammar(), variant);
    if (!tree) return tree.failure();
    const TSNode root = ts_tree_root_node(tree->get());
    auto findings = query_.run(budget_, root, variant);
    if (!findings) return findings.failure();
    return std::pair(std::move(*findings), errors_below(root));
  }

  /// Adds what only branches `number` of conditionals define.
  Outcome<bool> add_branches(std::uint32_t number, Findings& findings) const {
    const auto regions = branches_of(conditionals_, number, text_);
    if (regions.empty()) return true;
    auto more = read(number);
    if (!more) return more.failure();
    std::ranges::copy_if(more->first.definitions, std::back_inserter(findings.definitions),
                         [&](const Definition& one) { return is_within(regions, one.name_byte); });
    return true;
  }

 private:
  [[nodiscard]] std::string text_with(std::uint32_t number) const {
    if (language_.second_look == SecondLook::kSignatures) return separate_signatures(text_);
    if (language_.second_look == SecondLook::kBodies) return end_bodies(text_);
    std::string variant = with_branches(text_, conditionals_, number);
    blank_macros(variant);
    return variant;
  }

  const Budget& budget_;
  const Language& language_;
  const Query& query_;
  std::string_view text_;
  const Conditionals& conditionals_;
};

}  // namespace

Outcome<Findings> look_again(const Budget& budget, const Language& language, const Query& query,
                             std::string_view text, TSNode root, Findings first) {
  const bool directives = language.second_look == SecondLook::kPreprocessor;
  const Conditionals conditionals = directives ? find_conditionals(text) : Conditionals();
  if (ts_node_has_error(root)) {
    const Rereader reader(budget, language, query, text, conditionals);
    auto second = reader.read(0);
    if (!second) return second.failure();
    if (second->second < errors_below(root)) {
      auto leading = std::move(first.leading);
      first = std::move(second->first);
      first.leading = std::move(leading);
      std::ranges::move(macros_of(text, conditionals), std::back_inserter(first.definitions));
      for (std::uint32_t number = 1; number < kBranches; ++number) {
        const auto added = reader.add_branches(number, first);
        if (!added) return added.failure();
      }
    }
  }
  drop_dead(first, conditionals.dead);
  return first;
}

}  // namespace quarry::symbols_tree_sitter
