#include "corpus/query/symbol_name.h"

#include "base/text.h"
#include "corpus/query/word_finder.h"
#include "corpus/text/letter_case.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

bool equal_folded(std::string_view left, std::string_view right) {
  return std::ranges::equal(
      left, right, {}, [](char c) { return kLowerCase[static_cast<unsigned char>(c)]; },
      [](char c) { return kLowerCase[static_cast<unsigned char>(c)]; });
}

/// The length of the separator of scopes at the start of `text`; 0 if there is none.
std::size_t separator_at(std::string_view text) {
  if (text.starts_with("::") || text.starts_with("->")) return 2;
  return text.starts_with('.') || text.starts_with('#') || text.starts_with(':') ? 1 : 0;
}

/// The parts between separators; none is empty but perhaps the last.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  while (!text.empty()) {
    const std::size_t separator = separator_at(text);
    if (separator == 0) {
      parts.back() += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (!parts.back().empty()) parts.emplace_back();
    text.remove_prefix(separator);
  }
  return parts;
}

std::string_view without_arguments(std::string_view text) {
  const std::size_t open = text.find('(');
  // "operator()" is a name.
  const bool is_call = open != std::string_view::npos && open > 0 && text.ends_with(')') &&
                       !text.substr(0, open).ends_with("operator");
  return is_call ? text.substr(0, open) : text;
}

/// The names of a file and its folders, innermost first, the file's without its extension.
std::vector<std::string_view> path_names(std::string_view path) {
  std::vector<std::string_view> names = split(path, '/');
  std::ranges::reverse(names);
  names.front() = names.front().substr(0, names.front().find('.', 1));
  return names;
}

/// True if `scopes`, innermost first, name the file or its folder, and the folders above.
bool is_in(std::span<const std::string> scopes, std::string_view path) {
  const auto names = path_names(path);
  const auto fits = [&](std::size_t from) {
    if (names.size() - from < scopes.size()) return false;
    return std::equal(scopes.begin(), scopes.end(),
                      names.begin() + static_cast<std::ptrdiff_t>(from), equal_folded);
  };
  return fits(0) || (names.size() > 1 && fits(1));
}

}  // namespace

Result<SymbolNames> SymbolNames::parse(std::string_view text) {
  SymbolNames names;
  text = trim(text);
  names.is_prefix = text.size() > 1 && text.ends_with('*') && !text.ends_with("operator*");
  if (names.is_prefix) text.remove_suffix(1);
  text = without_arguments(text);
  std::vector<std::string> parts = parts_of(text);
  if (parts.size() == 1 && parts.front().empty()) {
    return Error{Code::kInvalidArgument, "name: has no name in it",
                 "Write the name of a definition, such as Parser.parse."};
  }
  const bool is_scoped = parts.size() > 1 || parts.front() != text;
  names.readings.push_back({{}, std::string(text)});
  if (is_scoped && !parts.back().empty()) {
    std::string last = std::move(parts.back());
    parts.pop_back();
    names.readings.push_back({std::move(parts), std::move(last)});
  }
  return names;
}

std::optional<SymbolMatch> match_scopes(std::span<const std::string> scopes,
                                        const SymbolSurroundings& surroundings) {
  SymbolMatch match = SymbolMatch::kExact;
  std::size_t parent = 0;
  std::vector<std::string> left(scopes.rbegin(), scopes.rend());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool has_parent = parent < surroundings.parents.size();
    if (has_parent && equal_folded(surroundings.parents[parent], left[i])) {
      if (surroundings.parents[parent] != left[i]) match = SymbolMatch::kFolded;
      ++parent;
    } else if (!WordFinder(left[i]).is_in(surroundings.before)) {
      if (!is_in(std::span(left).subspan(i), surroundings.path)) return std::nullopt;
      return match;
    }
  }
  return match;
}

std::optional<SymbolMatch> match_name(std::string_view name, std::string_view wanted) {
  if (name == wanted) return SymbolMatch::kExact;
  if (!equal_folded(name.substr(0, wanted.size()), wanted)) return std::nullopt;
  return name.size() == wanted.size() ? SymbolMatch::kFolded : SymbolMatch::kPrefix;
}

}  // namespace quarry::corpus
