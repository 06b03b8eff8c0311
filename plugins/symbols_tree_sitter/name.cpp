#include "symbols_tree_sitter/name.h"

#include <algorithm>

namespace quarry::symbols_tree_sitter {
namespace {

constexpr std::size_t kMaximum = 1024;

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view without_marks(std::string_view text) {
  const bool quoted = text.size() > 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'' || text.front() == '`');
  if (quoted) return text.substr(1, text.size() - 2);
  if (text.size() > 1 && text[0] == ':' && text[1] != ':') return without_marks(text.substr(1));
  return text;
}

}  // namespace

std::string written_name(std::string_view text) {
  return one_line(without_marks(text));
}

std::string one_line(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (!is_space(c)) {
      name += c;
    } else if (!name.empty() && name.back() != ' ') {
      name += ' ';
    }
    if (name.size() > kMaximum) return {};
  }
  if (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace quarry::symbols_tree_sitter
