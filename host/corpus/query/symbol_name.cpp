#include "corpus/query/symbol_name.h"

#include "base/text.h"
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

/// The last name of a path, which it removes.
std::string_view take_name(std::string_view& path) {
  const std::size_t slash = path.rfind('/');
  const bool is_last = slash == std::string_view::npos;
  const std::string_view name = is_last ? path : path.substr(slash + 1);
  path = is_last ? std::string_view() : path.substr(0, slash);
  return name;
}

/// True if `scopes`, innermost first, are the folders above each other at the end of `path`.
bool are_folders(std::span<const WordFinder> scopes, std::string_view path) {
  return std::ranges::all_of(scopes, [&](const WordFinder& scope) {
    return !path.empty() && equal_folded(take_name(path), scope.word());
  });
}

/// True if `scopes`, innermost first, name the file or its folder, and the folders above.
bool is_in(std::span<const WordFinder> scopes, std::string_view path) {
  std::string_view file = take_name(path);
  file = file.substr(0, file.find('.', 1));
  if (equal_folded(file, scopes.front().word()) && are_folders(scopes.subspan(1), path)) {
    return true;
  }
  return are_folders(scopes, path);
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

ScopeMatcher::ScopeMatcher(std::span<const std::string> scopes) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    scopes_.emplace_back(*scope);
    words_ |= first_word_mask(*scope);
  }
}

std::optional<SymbolMatch> ScopeMatcher::match(const SymbolSurroundings& surroundings) const {
  SymbolMatch match = SymbolMatch::kExact;
  std::size_t parent = 0;
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    const bool has_parent = parent < surroundings.parents.size();
    if (has_parent && equal_folded(surroundings.parents[parent], scopes_[i].word())) {
      if (surroundings.parents[parent] != scopes_[i].word()) match = SymbolMatch::kFolded;
      ++parent;
      continue;
    }
    if (is_in(std::span(scopes_).subspan(i), surroundings.path)) return match;
    if (!scopes_[i].is_in(surroundings.before())) return std::nullopt;
  }
  return match;
}

std::optional<SymbolMatch> match_name(std::string_view name, std::string_view wanted) {
  if (name == wanted) return SymbolMatch::kExact;
  if (!equal_folded(name.substr(0, wanted.size()), wanted)) return std::nullopt;
  return name.size() == wanted.size() ? SymbolMatch::kFolded : SymbolMatch::kPrefix;
}

bool match_kind(std::string_view kind, std::string_view wanted) {
  return wanted.empty() || equal_folded(kind, wanted);
}

}  // namespace quarry::corpus
