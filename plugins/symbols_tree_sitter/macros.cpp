#include "symbols_tree_sitter/macros.h"

#include "symbols_tree_sitter/name.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter {
namespace {

struct Token {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool word = false;
  bool first = false;  ///< on its line
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t after_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::size_t after_comment(std::string_view text, std::size_t at) {
  const bool line = text[at + 1] == '/';
  const auto end = line ? text.find('\n', at) : text.find("*/", at + 2);
  if (end == text.npos) return text.size();
  return line ? end : end + 2;
}

/// Words, numbers and single other characters, without comments; a literal is one token.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool comment =
        c == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
    std::size_t end = at + 1;
    if (c == '\n') first = true;
    if (comment) {
      end = after_comment(text, at);
    } else if (c == '"' || c == '\'') {
      end = after_literal(text, at);
    } else if (is_word(c)) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    if (!comment && c != ' ' && (c < '\t' || c > '\r')) {
      tokens.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end),
                        is_word(c) && !is_digit(c), first});
      first = false;
    }
    at = end;
  }
  return tokens;
}

/// "EXPORT_API" or "__init".
bool has_form(std::string_view word) {
  if (word.size() < 3) return false;
  if (word.starts_with("__")) {
    return !word.starts_with("__int") && !word.starts_with("__m1") &&
           !word.starts_with("__typeof") && !word.starts_with("__builtin");
  }
  const bool upper = std::ranges::all_of(
      word, [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
  return upper && !is_one_of(word, {"NULL", "FILE", "DIR", "TRUE", "FALSE", "EOF"});
}

class Masker {
 public:
  explicit Masker(std::string& text) : text_(text), tokens_(tokens_of(text)) {}

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].word || !has_form(word(i))) continue;
      const std::size_t next = after_arguments(i);
      if (!is_apart(i, next)) continue;
      for (std::size_t at = tokens_[i].begin; at < tokens_[next - 1].end; ++at) {
        if (text_[at] != '\n') text_[at] = ' ';
      }
      masked_ = next;
      i = next - 1;
    }
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  [[nodiscard]] bool is_name(std::size_t i) const { return i < tokens_.size() && tokens_[i].word; }

  /// The token after the closing parenthesis that belongs to the opening one at `i`.
  [[nodiscard]] std::size_t after_parentheses(std::size_t i) const {
    constexpr std::size_t kMaximum = 1000;  // tokens
    int depth = 0;
    for (std::size_t at = i; at < tokens_.size() && at < i + kMaximum; ++at) {
      const std::string_view token = word(at);
      if (token == "(") ++depth;
      if (token == ")" && --depth == 0) return at + 1;
    }
    return i;
  }
  [[nodiscard]] std::size_t after_arguments(std::size_t i) const {
    return word(i + 1) == "(" ? after_parentheses(i + 1) : i + 1;
  }

  /// A declaration may begin at `i`.
  [[nodiscard]] bool begins(std::size_t i) const {
    if (i == 0 || masked_ == i) return true;
    return is_one_of(word(i - 1), {";", "}", "{", ":", ">", "static", "inline", "extern",
                                   "constexpr", "virtual", "explicit", "friend", "typedef"});
  }

  [[nodiscard]] bool is_apart(std::size_t i, std::size_t next) const {
    const bool arguments = next > i + 1;
    return in_head_of_type(i, next) || leads(i, next, arguments) || stands_alone(i, next) ||
           trails(i, next) || follows_type(i, next, arguments);
  }

  /// "class MACRO Name {"
  [[nodiscard]] bool in_head_of_type(std::size_t i, std::size_t next) const {
    if (i == 0 || !is_one_of(word(i - 1), {"class", "struct", "union", "enum"})) return false;
    return is_name(next) && is_one_of(word(next + 1), {"{", ":", "final", "<"});
  }

  /// "MACRO int f()", "MACRO Type(int) : member(1) {"
  [[nodiscard]] bool leads(std::size_t i, std::size_t next, bool arguments) const {
    if (!begins(i)) return false;
    if (word(next) == "~") return true;
    if (!is_name(next) || is_one_of(word(next), {"const", "volatile", "else"})) return false;
    if (is_name(next + 1) && word(next + 1) != "const") return true;
    if (is_one_of(word(next + 1), {"*", "&", "<", ":"})) return true;
    if (word(next + 1) != "(") return false;
    return arguments || word(after_parentheses(next + 1)) == ":" ||
           is_one_of(word(next), {"template", "typedef", "operator"});
  }

  /// A line of its own, between declarations.
  [[nodiscard]] bool stands_alone(std::size_t i, std::size_t next) const {
    if (!tokens_[i].first || !begins(i)) return false;
    if (next >= tokens_.size()) return true;
    if (!tokens_[next].first) return false;
    if (word(next) == "}" || word(next) == "[") return true;
    return is_name(next) && word(next + 1) != "(";
  }

  /// "f() const MACRO;"
  [[nodiscard]] bool trails(std::size_t i, std::size_t next) const {
    if (i == 0 || !is_one_of(word(next), {"{", ";", ":", "="})) return false;
    return is_one_of(word(i - 1), {")", "const", "noexcept", "override", "final"});
  }

  /// "int MACRO f()"
  [[nodiscard]] bool follows_type(std::size_t i, std::size_t next, bool arguments) const {
    if (i == 0 || arguments || !is_name(next) || word(next + 1) != "(") return false;
    if (is_one_of(word(i - 1), {"return", "else", "case", "goto", "new", "delete"})) return false;
    return tokens_[i - 1].word || word(i - 1) == "*" || word(i - 1) == "&";
  }

  std::string& text_;
  std::vector<Token> tokens_;
  std::size_t masked_ = SIZE_MAX;  ///< the token after the last macro
};

}  // namespace

void blank_macros(std::string& text) {
  Masker(text).run();
}

}  // namespace quarry::symbols_tree_sitter
