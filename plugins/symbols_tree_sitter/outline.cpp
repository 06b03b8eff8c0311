#include "symbols_tree_sitter/outline.h"

#include "symbols_tree_sitter/name.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace quarry::symbols_tree_sitter {
namespace {

/// Enclosing ranges in which a parent is looked for: deeper nesting is no program.
constexpr std::size_t kMaximumSteps = 256;

bool is_callable(std::string_view kind) {
  return is_one_of(kind, {"function", "method", "constructor"});
}

bool is_type(std::string_view kind) {
  return is_one_of(kind, {"class", "struct", "union", "enum", "interface", "trait", "type",
                          "object", "implementation", "extension", "protocol"});
}

bool is_variable(std::string_view kind) {
  return is_one_of(kind, {"variable", "constant", "property"});
}

/// One name has one definition: that of the first pattern.
void unique_names(std::vector<Definition>& definitions) {
  std::ranges::stable_sort(
      definitions, {}, [](const Definition& one) { return std::pair(one.name_byte, one.pattern); });
  const auto rest = std::ranges::unique(definitions, {}, &Definition::name_byte);
  definitions.erase(rest.begin(), rest.end());
}

/// A range of the text: a definition, or a region with variables of its own (-1).
struct Range {
  std::uint32_t begin;
  std::uint32_t end;
  std::int64_t definition;
};

std::vector<Range> ranges_of(const Findings& findings) {
  std::vector<Range> ranges;
  for (const Region& body : findings.bodies) ranges.push_back({body.begin, body.end, -1});
  for (std::size_t i = 0; i < findings.definitions.size(); ++i) {
    const Definition& one = findings.definitions[i];
    ranges.push_back({one.begin, one.end, static_cast<std::int64_t>(i)});
  }
  std::ranges::sort(ranges, [](const Range& a, const Range& b) {
    return std::tuple(a.begin, b.end, a.definition) < std::tuple(b.begin, a.end, b.definition);
  });
  return ranges;
}

/// True if `inner` belongs to `outer`, whose range contains it: its name stands after the outer's,
/// unless the name of the outer's type follows its body, as in "typedef struct {…} outer;".
bool belongs(const Definition& inner, const Definition& outer, bool nested_functions) {
  if (!nested_functions && inner.kind == "function" && is_callable(outer.kind)) return false;
  if (is_one_of(outer.kind, {"macro", "import", "field", "declaration"})) return false;
  const bool same = outer.begin == inner.begin && outer.end == inner.end;
  if (same && outer.kind != "namespace") return false;  // "int a, b;", not "namespace a::b"
  return outer.name_byte < inner.name_byte ||
         is_one_of(outer.kind, {"class", "struct", "union", "enum"});
}

/// Sets the parents, and finds the variables of functions.
std::vector<bool> find_parents(Findings& findings, bool nested_functions) {
  auto& definitions = findings.definitions;
  std::vector<bool> hidden(definitions.size());
  struct Open {
    Range range;
    bool hides;  ///< variables in it are no definitions
  };
  std::vector<Open> open;
  for (const Range& range : ranges_of(findings)) {
    while (!open.empty() && open.back().range.end <= range.begin) open.pop_back();
    const bool outer_hides = !open.empty() && open.back().hides;
    bool inner_hides = true;
    if (range.definition >= 0) {
      Definition& one = definitions[range.definition];
      hidden[range.definition] = outer_hides && is_variable(one.kind);
      std::size_t steps = 0;
      for (auto outer = open.rbegin(); outer != open.rend() && steps < kMaximumSteps; ++outer) {
        ++steps;
        const auto number = outer->range.definition;
        if (number < 0 || hidden[number] || !belongs(one, definitions[number], nested_functions)) {
          continue;
        }
        one.parent = number;
        break;
      }
      inner_hides = is_callable(one.kind) || (outer_hides && !is_type(one.kind));
    }
    open.push_back({range, inner_hides});
  }
  return hidden;
}

/// Removes what is hidden, and renumbers parents.
void remove(std::vector<Definition>& definitions, const std::vector<bool>& hidden) {
  std::vector<std::int64_t> numbers(definitions.size(), -1);
  std::vector<Definition> kept;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (hidden[i]) continue;
    numbers[i] = static_cast<std::int64_t>(kept.size());
    kept.push_back(std::move(definitions[i]));
  }
  for (Definition& one : kept) {
    if (one.parent >= 0) one.parent = numbers[one.parent];
  }
  definitions = std::move(kept);
}

/// A method outside its type belongs to the first type of that name.
void find_scopes(std::vector<Definition>& definitions) {
  std::map<std::string_view, std::int64_t> types;  // not by hashes, which code could make equal
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (is_type(definitions[i].kind)) {
      types.emplace(definitions[i].name, static_cast<std::int64_t>(i));
    }
  }
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    Definition& one = definitions[i];
    const auto type = one.scope.empty() ? types.end() : types.find(one.scope);
    if (type != types.end() && type->second != static_cast<std::int64_t>(i)) {
      one.parent = type->second;
    }
  }
}

/// A field that a constructor sets is the type's: the first statement that sets it.
void raise_fields(std::vector<Definition>& definitions) {
  std::set<std::pair<std::int64_t, std::string_view>> seen;
  std::vector<bool> repeated(definitions.size());
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    Definition& one = definitions[i];
    if (one.kind != "field" || one.parent < 0) continue;
    const Definition& parent = definitions[one.parent];
    const bool set = is_callable(parent.kind) && parent.parent >= 0;
    if (set) one.parent = parent.parent;
    const bool added = seen.emplace(one.parent, one.name).second;
    repeated[i] = set && !added;
  }
  remove(definitions, repeated);
}

/// Functions and variables of a type are its methods and fields.
void set_kinds(std::vector<Definition>& definitions) {
  for (Definition& one : definitions) {
    if (one.parent < 0) continue;
    const Definition& parent = definitions[one.parent];
    if (!is_type(parent.kind)) continue;
    if (one.kind == "function") one.kind = one.name == parent.name ? "constructor" : "method";
    if (one.kind == "variable") one.kind = "field";
  }
}

/// Comments and annotations that begin their line, by the line on which they end: each with the
/// first line of all that follow each other directly up to it.
using LeadingLines = std::map<std::uint32_t, std::uint32_t>;

LeadingLines leading_lines(const std::vector<Leading>& all, std::string_view text) {
  LeadingLines lines;
  for (const Leading& one : all) {
    const auto before = text.substr(0, one.begin).find_last_not_of(" \t");
    if (before != text.npos && text[before] != '\n') continue;
    const auto [line, added] = lines.emplace(one.last_line, one.first_line);
    if (!added) line->second = std::min(line->second, one.first_line);
  }
  for (auto& [last, first] : lines) {
    const auto before = lines.find(first - 1);
    if (before != lines.end()) first = before->second;
  }
  return lines;
}

void add_leading(std::vector<Definition>& definitions, const LeadingLines& lines) {
  std::vector<std::uint32_t> first;
  for (const Definition& one : definitions) first.push_back(one.first_line);
  for (Definition& one : definitions) {
    // What leads a line belongs to the outermost definition that begins on it.
    if (one.parent >= 0 && definitions[one.parent].begin < one.begin) {
      const auto outer = static_cast<std::size_t>(one.parent);
      if (first[outer] == one.first_line || definitions[outer].name_line == one.first_line)
        continue;
    }
    auto found = lines.find(one.first_line);
    if (found == lines.end()) found = lines.find(one.first_line - 1);
    if (found != lines.end()) one.first_line = std::min(one.first_line, found->second);
  }
}

}  // namespace

std::vector<Definition> outline(Findings findings, std::string_view text, bool nested_functions) {
  auto& definitions = findings.definitions;
  unique_names(definitions);
  remove(definitions, find_parents(findings, nested_functions));
  find_scopes(definitions);
  raise_fields(definitions);
  set_kinds(definitions);
  add_leading(definitions, leading_lines(findings.leading, text));
  return std::move(definitions);
}

}  // namespace quarry::symbols_tree_sitter
