#include "corpus/text/definitions.h"

#include "corpus/text/name_set.h"
#include "corpus/text/word_mask.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace quarry::corpus {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLongestLine = 400;

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/// A cursor over the rest of a line.
struct Cursor {
  std::string_view rest;

  void skip_spaces() {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  }
  std::string_view name() {
    skip_spaces();
    std::size_t n = 0;
    while (n < rest.size() && is_word_byte(rest[n])) ++n;
    const std::string_view word = rest.substr(0, n);
    rest.remove_prefix(n);
    return word;
  }
  bool take(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  /// Skips a bracketed group at the cursor, nested ones included, at most to the end of the line.
  void skip_group(char open, char close) {
    if (rest.empty() || rest.front() != open) return;
    int depth = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == open) ++depth;
      if (rest[i] == close && --depth == 0) return rest.remove_prefix(i + 1);
    }
    rest = {};
  }
};

template <class... Names>
constexpr auto fixed_names(const Names&... names) {
  return FixedNames(std::array<std::string_view, sizeof...(Names)>{names...});
}

constexpr auto kModifiers = fixed_names(
    "export", "default", "pub", "public", "private", "protected", "static", "async", "abstract",
    "final", "virtual", "inline", "constexpr", "extern", "unsafe", "local", "override", "open",
    "internal", "sealed", "partial", "declare", "explicit", "friend", "CREATE", "create", "OR",
    "REPLACE", "crate", "typedef", "data", "consteval");
constexpr auto kFunctionWords =
    fixed_names("def", "func", "fn", "function", "fun", "sub", "proc", "macro", "defun", "defmacro",
                "defn", "rpc", "task", "macro_rules", "FUNCTION", "PROCEDURE", "subroutine");
constexpr auto kContainerWords =
    fixed_names("class", "struct", "interface", "trait", "impl", "enum", "union", "module",
                "namespace", "package", "object", "record", "protocol", "extension", "defmodule",
                "message", "service", "type", "TABLE", "VIEW", "concept");
constexpr auto kControlWords = fixed_names(
    "if", "for", "while", "switch", "catch", "return", "else", "do", "foreach", "until", "unless",
    "elif", "elsif", "when", "match", "with", "except", "try", "using", "lock", "case", "and", "or",
    "not", "new", "delete", "throw", "await", "yield", "assert", "super", "in", "of", "select",
    "defer", "go", "sizeof", "raise", "print", "import", "from", "include", "require", "use",
    "describe", "it", "test", "expect", "endif", "set", "elseif", "function", "end");
constexpr auto kScopes = fixed_names("class", "struct");
constexpr auto kValueWords = fixed_names("const", "let", "var", "val", "final", "constexpr");

/// The last part of a qualified name: b of a.b, A::b, A->b. Leaves the cursor after it.
std::string_view qualified_name(Cursor& at) {
  std::string_view name = at.name();
  for (;;) {
    Cursor next = at;
    const bool joined = next.rest.starts_with("::") ? (next.rest.remove_prefix(2), true)
                                                    : next.take('.') || next.take('#');
    next.take('~');
    const std::string_view more = joined ? next.name() : std::string_view();
    if (more.empty()) return name;
    name = more;
    at = next;
  }
}

Definition keyword_definition(std::string_view keyword, Cursor at) {
  const bool container = kContainerWords.contains(keyword);
  if (!container && !kFunctionWords.contains(keyword)) return {};
  if (!at.rest.empty() && !is_space(at.rest.front()) && at.rest.front() != '<' &&
      at.rest.front() != '(' && at.rest.front() != '*' && at.rest.front() != '!') {
    return {};
  }
  at.take('!');
  at.skip_spaces();
  at.take('*');
  if (keyword == "func" || keyword == "function" || keyword == "macro") {
    at.skip_spaces();
    if (keyword == "func") at.skip_group('(', ')');  // a method's receiver
    at.take('(');
  }
  if (keyword == "impl") at.skip_group('<', '>');
  if (keyword == "enum") {
    Cursor scoped = at;
    if (kScopes.contains(scoped.name())) at = scoped;
  }
  std::string_view name = qualified_name(at);
  at.skip_spaces();
  if (container && keyword != "type" && (at.rest.starts_with('=') || at.rest.starts_with(';'))) {
    return {};
  }
  if (keyword == "impl" && at.rest.starts_with("for ")) {
    at.rest.remove_prefix(4);
    name = qualified_name(at);
  }
  if (name.empty() || kControlWords.contains(name)) return {};
  return {.name = name, .opens_block = true, .is_container = container};
}

/// `const name = (` and `exports.name = function` open a block; `NAME = 1` in the first column is a
/// constant.
Definition assigned(std::string_view line, bool declared) {
  Cursor at{line};
  const std::string_view name = qualified_name(at);
  if (name.empty()) return {};
  at.skip_spaces();
  if (at.rest.starts_with(':') && !at.rest.starts_with(":=")) {
    at.rest.remove_prefix(std::min(at.rest.find('='), at.rest.size()));
  }
  if (!at.take('=') || at.rest.starts_with('=')) return {};
  at.skip_spaces();
  const std::string_view value = at.rest;
  const bool opens = value.starts_with("function") || value.starts_with("async ") ||
                     value.starts_with("class ") || value.starts_with("lambda") ||
                     value.contains("=>");
  if (!opens && !declared) return {.name = name};
  return {.name = name, .opens_block = opens};
}

/// `int f(int a) {`, `void A::f()`, `f (a, b)` in the first column, a method `f(a) {` further in.
Definition called_form(std::string_view line, bool indented) {
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos || open == 0) return {};
  const std::size_t equals = line.find('=');
  if (equals < open && !line.substr(0, open).contains("operator")) return {};
  std::string_view tail = line;
  while (!tail.empty() && (is_space(tail.back()) || tail.back() == '\r')) tail.remove_suffix(1);
  const char last = tail.back();
  const bool block = last == '{';
  if (!block && (indented || (last != ')' && last != ',' && last != '('))) return {};
  if (line.substr(0, open).find_first_of("\"'`{}#;@/") != std::string_view::npos) return {};
  std::size_t end = open;
  while (end > 0 && is_space(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_byte(line[begin - 1])) --begin;
  const std::string_view name = line.substr(begin, end - begin);
  Cursor first{line};
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || kControlWords.contains(name) ||
      kControlWords.contains(first.name())) {
    return {};
  }
  if (begin > 0 && line[begin - 1] == '.') return {};
  // A callback is the argument of a call, not a definition.
  const std::string_view after = line.substr(open);
  if (after.contains("=>") || after.contains("function")) return {};
  // `call(argument)` on a line of its own is a statement; `name (argument)` is old C.
  if (!block && begin == 0 && line[open - 1] != ' ') return {};
  return {.name = name, .opens_block = true};
}

}  // namespace

Definition find_definition(std::string_view line) {
  if (line.size() > kLongestLine) return {};
  Cursor at{line};
  at.skip_spaces();
  const bool indented = at.rest.size() < line.size();
  if (at.rest.empty()) return {};
  if (at.rest.front() == '#') {
    at.take('#');
    if (at.name() != "define") return {};
    return {.name = at.name()};
  }
  at.take('(');
  if (at.rest.starts_with("template<"sv) || at.rest.starts_with("template <"sv) ||
      at.rest.starts_with('@')) {
    return {};
  }
  std::string_view body = at.rest;
  for (int words = 0; words < 6; ++words) {
    Cursor next = at;
    const std::string_view word = next.name();
    if (word.empty()) break;
    const Definition found = keyword_definition(word, next);
    if (!found.name.empty()) return found;
    if (kValueWords.contains(word) && !next.rest.starts_with('(')) {
      const Definition value = assigned(next.rest, indented);
      if (!value.name.empty() && (value.opens_block || !indented)) return value;
    }
    if (!kModifiers.contains(word)) break;
    if (next.rest.starts_with('(')) next.skip_group('(', ')');  // pub(crate)
    at = next;
    at.skip_spaces();
    body = at.rest;
  }
  if (!indented) {
    const Definition value = assigned(body, false);
    if (!value.name.empty()) return value;
  } else if (body.contains("= function") || body.contains("=>")) {
    const Definition value = assigned(body, true);
    if (value.opens_block) return value;
  }
  return called_form(body, indented);
}

}  // namespace quarry::corpus
