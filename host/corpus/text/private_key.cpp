#include "corpus/text/private_key.h"

#include <algorithm>
#include <cstddef>

namespace quarry::corpus {
namespace {

constexpr std::string_view kWords = "PRIVATE KEY";
constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::size_t kLongestLabel = 32;     // "ENCRYPTED ", "OPENSSH ", "PGP ", …
constexpr std::size_t kMinKeyDigits = 60;     // digits of base64; an Ed25519 key has 64
constexpr int kMostHeaders = 8;               // "Proc-Type: 4,ENCRYPTED", "Version: …"
constexpr std::size_t kLongestHeader = 1000;  // bytes; 76 as a rule

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_base64(char c) {
  return is_letter_or_digit(c) || c == '+' || c == '/' || c == '=';
}

/// Skips characters allowed between two lines of a key: blanks, quotes, comment marks, "\n" as two
/// characters. False if there are none.
bool skip_line_end(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty()) {
    const bool escaped = text.size() > 1 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r');
    if (escaped || text.starts_with("+ ") || text.starts_with("+\n") || text.starts_with("//")) {
      text.remove_prefix(2);
    } else if (std::string_view(" \t\r\n\"'`,;#*|>\\").contains(text[0])) {
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return text.size() < before;
}

/// Skips one header of an encrypted or PGP key. False if there is none.
bool skip_header(std::string_view& text) {
  const std::string_view start = text.substr(0, kLongestHeader);
  const std::size_t end = std::min(start.find_first_of("\r\n\\"), start.size());
  const std::size_t colon = start.substr(0, end).find(": ");
  if (colon == text.npos || colon == 0) return false;
  const bool is_name = std::ranges::all_of(
      text.substr(0, colon), [](char c) { return is_letter_or_digit(c) || c == '-'; });
  if (is_name) text.remove_prefix(end);
  return is_name;
}

/// True if `text`, which follows the first line of a key, begins with key material.
bool begins_with_key(std::string_view text) {
  skip_line_end(text);
  for (int i = 0; i < kMostHeaders && skip_header(text); ++i) skip_line_end(text);
  std::size_t digits = 0;
  for (bool more = true; more && digits < kMinKeyDigits; more = skip_line_end(text)) {
    const auto end = std::ranges::find_if_not(text, is_base64);
    const auto line = static_cast<std::size_t>(end - text.begin());
    if (line == 0) return false;
    digits += line;
    text.remove_prefix(line);
  }
  return digits >= kMinKeyDigits;
}

/// The text after the line "-----BEGIN … PRIVATE KEY-----" with kWords at `words`; empty if kWords
/// is not part of such a line.
std::string_view after_begin(std::string_view text, std::size_t words) {
  const std::size_t from = words - std::min(words, kLongestLabel + kBegin.size());
  const std::string_view label = text.substr(from, words - from);
  const std::size_t begin = label.rfind(kBegin);
  if (begin == label.npos || label.substr(begin + kBegin.size()).contains('-')) return {};
  std::string_view rest = text.substr(words + kWords.size());
  if (rest.starts_with(" BLOCK")) rest.remove_prefix(6);
  return rest.starts_with("-----") ? rest.substr(5) : std::string_view();
}

}  // namespace

bool holds_private_key(std::string_view text) {
  for (std::size_t at = 0; (at = text.find(kWords, at)) != text.npos; at += kWords.size()) {
    const std::string_view rest = after_begin(text, at);
    if (!rest.empty() && begins_with_key(rest)) return true;
  }
  return false;
}

}  // namespace quarry::corpus
