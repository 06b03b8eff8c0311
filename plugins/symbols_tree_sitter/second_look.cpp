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

/// Regions in order that share no byte.
class Regions {
 public:
  void add(Region region) { regions_.push_back(region); }
  void sort() {
    std::ranges::sort(regions_, {}, &Region::begin);
    std::vector<Region> joined;
    for (const Region& one : regions_) {
      if (joined.empty() || joined.back().end < one.begin) {
        joined.push_back(one);
      } else {
        joined.back().end = std::max(joined.back().end, one.end);
      }
    }
    regions_ = std::move(joined);
  }
  [[nodiscard]] bool empty() const { return regions_.empty(); }
  [[nodiscard]] bool contains(std::uint32_t byte) const {
    const auto after = std::ranges::upper_bound(regions_, byte, {}, &Region::begin);
    return after != regions_.begin() && byte < std::prev(after)->end;
  }

 private:
  std::vector<Region> regions_;
};

void drop_dead(Findings& findings, const Conditionals& conditionals) {
  Regions dead;
  for (const Branch& branch : conditionals.branches) {
    if (branch.dead) dead.add(branch.lines);
  }
  if (dead.empty()) return;
  dead.sort();
  std::erase_if(findings.definitions,
                [&](const Definition& one) { return dead.contains(one.name_byte); });
}

/// Branches that `number` shows and the numbers before it do not.
Regions branches_of(const Conditionals& conditionals, std::uint32_t number, std::string_view text) {
  Regions regions;
  for (const Branch& branch : conditionals.branches) {
    if (branch.number != number) continue;
    const auto lines = text.substr(branch.lines.begin, branch.lines.end - branch.lines.begin);
    if (lines.find_first_of("({;,") != lines.npos) regions.add(branch.lines);
  }
  regions.sort();
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
                         [&](const Definition& one) { return regions.contains(one.name_byte); });
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
      first = std::move((*second).first);
      first.leading = std::move(leading);
      std::ranges::move(macros_of(text, conditionals), std::back_inserter(first.definitions));
      for (std::uint32_t number = 1; number < kBranches; ++number) {
        const auto added = reader.add_branches(number, first);
        if (!added) return added.failure();
      }
    }
  }
  drop_dead(first, conditionals);
  return first;
}

}  // namespace quarry::symbols_tree_sitter
