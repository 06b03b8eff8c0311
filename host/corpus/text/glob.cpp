#include "corpus/text/glob.h"

#include "base/text.h"
#include "corpus/text/brace_expansion.h"
#include "corpus/text/character_class.h"
#include "corpus/text/composed.h"
#include "corpus/text/literal_finder.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

Error refuse(std::string why) {
  return {Code::kInvalidArgument, std::move(why),
          "Use *, ?, [a-z], ** and {a,b}; put \\ before a character that is meant literally."};
}

/// Bytes of the first character of `text`, which is not empty.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    ++length;
  }
  return length;
}

bool only_stars(std::string_view text) {
  return text.size() >= 2 && text.find_first_not_of('*') == std::string_view::npos;
}

/// True if `path` contains `literal`, whose rarest byte is at `rarest`. Faster than LiteralFinder
/// on paths, which are short.
bool contains_literal(std::string_view literal, std::size_t rarest, std::string_view path) {
  if (literal.empty()) return true;
  std::size_t at = path.find(literal[rarest], rarest);
  while (at != path.npos && !path.substr(at - rarest).starts_with(literal)) {
    at = path.find(literal[rarest], at + 1);
  }
  return at != path.npos;
}

}  // namespace

Result<Glob> Glob::compile(std::string_view pattern, Dialect dialect) {
  std::vector<std::string> expanded = {std::string(pattern)};
  if (dialect == Dialect::kTool) {
    auto braces = expand_braces(composed(pattern));
    if (!braces) return std::move(braces).error();
    expanded = std::move(*braces);
  }
  Glob glob;
  glob.dialect_ = dialect;
  for (const std::string& one : expanded) {
    Status added = glob.add(one, dialect);
    if (!added) return std::move(added).error();
  }
  return glob;
}

Status Glob::add(std::string_view text, Dialect dialect) {
  const bool lenient = dialect == Dialect::kTool;
  while (lenient && text.ends_with('/')) text.remove_suffix(1);
  const bool anywhere = text.find('/') == std::string_view::npos;
  if (text.starts_with('/')) text.remove_prefix(1);
  std::vector<Component> pattern;
  if (anywhere) pattern.push_back({true, {}});
  for (const std::string_view part : split(text, '/')) {
    if (lenient && (part.empty() || part == ".")) continue;
    if (part.empty()) return refuse("a name in the pattern is empty");
    auto component = parse_component(part, dialect);
    if (!component) return std::move(component).error();
    pattern.push_back(std::move(*component));
  }
  if (pattern.size() == (anywhere ? 1 : 0)) return refuse("the pattern is empty");
  // "a/**" matches everything below a, but not a itself.
  if (pattern.back().any_depth) {
    pattern.push_back({false, {{Token::Kind::kStar}}});
  }
  const bool any_directory = pattern.size() == 2 && pattern.front().any_depth;
  std::string literal = literal_of(pattern);
  const std::size_t rarest = literal.empty() ? 0 : rarest_byte(literal);
  patterns_.push_back({std::move(pattern), std::move(literal), rarest, any_directory});
  return {};
}

/// The longest part of a name without a wildcard.
std::string Glob::literal_of(const std::vector<Component>& components) {
  std::string longest;
  for (const Component& component : components) {
    std::string text;
    for (const Token& token : component.tokens) {
      if (token.kind == Token::Kind::kByte) {
        text += token.byte;
      } else {
        text.clear();
      }
      if (text.size() > longest.size()) longest = text;
    }
  }
  return longest;
}

Result<Glob::Component> Glob::parse_component(std::string_view text, Dialect dialect) {
  if (only_stars(text)) return Component{true, {}};
  Component component;
  const auto any = dialect == Dialect::kGit ? Token::Kind::kAnyByte : Token::Kind::kAnyCharacter;
  while (!text.empty()) {
    char c = text.front();
    if (c == '[') {
      auto token = parse_class(text);
      if (!token) return std::move(token).error();
      component.tokens.push_back(*token);
      continue;
    }
    text.remove_prefix(1);
    if (c == '*') {
      component.tokens.push_back({Token::Kind::kStar});
    } else if (c == '?') {
      component.tokens.push_back({any});
    } else {
      if (c == '\\') {
        if (text.empty()) return refuse("the pattern ends with \\");
        c = text.front();
        text.remove_prefix(1);
      }
      component.tokens.push_back({Token::Kind::kByte, c});
    }
  }
  return component;
}

Result<Glob::Token> Glob::parse_class(std::string_view& rest) {
  const auto set = take_character_class(rest);
  if (!set) return refuse("the pattern has a [ without its ]");
  sets_.push_back(*set);
  return Token{Token::Kind::kClass, 0, static_cast<std::uint32_t>(sets_.size() - 1)};
}

bool Glob::matches(std::string_view path) const {
  if (dialect_ == Dialect::kTool && !is_all_ascii(path)) return matches_bytes(composed(path));
  return matches_bytes(path);
}

bool Glob::matches_bytes(std::string_view path) const {
  return std::ranges::any_of(patterns_, [&](const Pattern& one) {
    return may_fit(one, path) && (one.anywhere || fits(one, split(path, '/')));
  });
}

bool Glob::matches(std::span<const std::string_view> names) const {
  return std::ranges::any_of(patterns_, [&](const Pattern& one) { return fits(one, names); });
}

bool Glob::may_name(std::string_view directory) const {
  const auto names = split(directory, '/');
  const auto fits_a_name = [&](const Component& component) {
    return std::ranges::any_of(names, [&](auto name) { return fits(component, name); });
  };
  // Names that only "**" matches make no difference, and the last component matches the last name,
  // which is below `directory`.
  return std::ranges::any_of(patterns_, [&](const Pattern& one) {
    const auto before_last = std::span(one.components).first(one.components.size() - 1);
    return std::ranges::any_of(before_last, [&](const Component& component) {
      return !component.any_depth && fits_a_name(component);
    });
  });
}

/// A test that most paths fail, made without splitting them.
bool Glob::may_fit(const Pattern& pattern, std::string_view path) const {
  if (!contains_literal(pattern.literal, pattern.rarest, path)) return false;
  return fits(pattern.components.back(), path.substr(path.rfind('/') + 1));
}

bool Glob::fits(const Pattern& whole, std::span<const std::string_view> names) const {
  const std::vector<Component>& pattern = whole.components;
  // No pattern ends with "**", so the last name decides most cases.
  if (!fits(pattern.back(), names.back())) return false;
  // Only the last "**" is ever extended by one more directory; earlier ones need no backtracking.
  std::size_t at = 0;
  std::size_t name = 0;
  std::size_t retry_at = 0;
  std::size_t retry_name = 0;
  bool may_retry = false;
  while (name < names.size() || at < pattern.size()) {
    if (at < pattern.size() && pattern[at].any_depth) {
      retry_at = ++at;
      retry_name = name;
      may_retry = true;
    } else if (at < pattern.size() && name < names.size() && fits(pattern[at], names[name])) {
      ++at;
      ++name;
    } else if (may_retry && retry_name < names.size()) {
      at = retry_at;
      name = ++retry_name;
    } else {
      return false;
    }
  }
  return true;
}

bool Glob::fits(const Component& component, std::string_view name) const {
  const std::vector<Token>& tokens = component.tokens;
  std::size_t at = 0;
  std::size_t byte = 0;
  std::size_t retry_at = 0;
  std::size_t retry_byte = 0;
  bool may_retry = false;
  while (byte < name.size() || at < tokens.size()) {
    if (at < tokens.size() && tokens[at].kind == Token::Kind::kStar) {
      retry_at = ++at;
      retry_byte = byte;
      may_retry = true;
      continue;
    }
    const std::size_t taken = at < tokens.size() ? fits(tokens[at], name.substr(byte)) : 0;
    if (taken > 0) {
      ++at;
      byte += taken;
    } else if (may_retry && retry_byte < name.size()) {
      at = retry_at;
      byte = ++retry_byte;
    } else {
      return false;
    }
  }
  return true;
}

/// Bytes of `rest` that the token matches; 0 if it does not match.
std::size_t Glob::fits(const Token& token, std::string_view rest) const {
  if (rest.empty()) return 0;
  switch (token.kind) {
    case Token::Kind::kByte:
      return token.byte == rest.front() ? 1 : 0;
    case Token::Kind::kAnyCharacter:
      return character_length(rest);
    case Token::Kind::kClass:
      return sets_[token.set][static_cast<unsigned char>(rest.front())] ? 1 : 0;
    case Token::Kind::kAnyByte:
    case Token::Kind::kStar:
      return 1;
  }
  return 0;
}

}  // namespace quarry::corpus
