#include "model_http/json_cursor.h"

#include <quarry/json.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace quarry::model_http {
namespace {

// string_view's functions that search for one of several characters call a function per character.

bool is_white_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// True if `c` ends a number or a literal before it.
bool is_mark(char c) {
  return c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']' || c == '"' ||
         is_white_space(c);
}

bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

/// The character for an escape's letter; NUL for an invalid one and for "u".
char escaped(char c) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t at = kNames.find(c);
  return at == kNames.npos ? '\0' : kMeanings[at];
}

/// Reads four hexadecimal digits.
std::optional<std::uint32_t> take_unit(std::string_view& text) {
  std::uint32_t unit = 0;
  if (text.size() < 4) return std::nullopt;
  const char* const end = text.data() + 4;
  if (std::from_chars(text.data(), end, unit, 16).ptr != end) return std::nullopt;
  text.remove_prefix(4);
  return unit;
}

}  // namespace

void JsonCursor::fail() {
  failed_ = true;
  rest_ = {};
}

bool JsonCursor::at_string() {
  pass_white_space();
  return !rest_.empty() && rest_.front() == '"';
}

double JsonCursor::number() {
  pass_white_space();
  std::size_t size = 0;
  while (size < rest_.size() && is_of_number(rest_[size])) ++size;
  const char* const end = rest_.data() + size;
  double value = 0;
  const auto [stop, wrong] = std::from_chars(rest_.data(), end, value);
  if (size == 0 || wrong != std::errc() || stop != end) {
    fail();
    return 0;
  }
  rest_.remove_prefix(size);
  return value;
}

bool JsonCursor::finished() {
  pass_white_space();
  return !failed_ && rest_.empty();
}

void JsonCursor::pass_white_space() {
  while (!rest_.empty() && is_white_space(rest_.front())) rest_.remove_prefix(1);
}

bool JsonCursor::next(char wanted) {
  pass_white_space();
  if (!rest_.starts_with(wanted)) return false;
  rest_.remove_prefix(1);
  return true;
}

bool JsonCursor::null() {
  pass_white_space();
  if (!rest_.starts_with("null")) return false;
  rest_.remove_prefix(4);
  return true;
}

/// Length of the string after its first quote; npos when it does not end, or contains an invalid
/// character. `escapes`: set if it has any.
std::size_t JsonCursor::size_of_string(bool& escapes) const {
  const std::string_view text = rest_;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') return at;
    if (is_control(c)) break;
    if (c != '\\') continue;
    escapes = true;
    ++at;
  }
  return text.npos;
}

std::string_view JsonCursor::string() {
  bool escapes = false;
  const std::size_t size = next('"') ? size_of_string(escapes) : rest_.npos;
  if (size == rest_.npos) {
    fail();
    return {};
  }
  const std::string_view quoted = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
  if (!escapes) return quoted;
  if (unescape(quoted)) return unescaped_;
  fail();
  return {};
}

bool JsonCursor::unescape(std::string_view quoted) {
  unescaped_.clear();
  for (std::size_t at = 0; (at = quoted.find('\\')) != quoted.npos;) {
    unescaped_ += quoted.substr(0, at);
    const char name = quoted[at + 1];
    quoted.remove_prefix(at + 2);
    if (name == 'u') {
      if (!unescape_unicode(quoted)) return false;
      continue;
    }
    const char meaning = escaped(name);
    if (meaning == '\0') return false;
    unescaped_ += meaning;
  }
  unescaped_ += quoted;
  return true;
}

/// A character beyond the first 65,536 is written as two units.
bool JsonCursor::unescape_unicode(std::string_view& quoted) {
  auto point = take_unit(quoted);
  if (!point || (*point >= 0xDC00 && *point < 0xE000)) return false;
  if (*point >= 0xD800 && *point < 0xDC00) {
    if (!quoted.starts_with("\\u")) return false;
    quoted.remove_prefix(2);
    const auto low = take_unit(quoted);
    if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
    point = 0x10000 + ((*point - 0xD800) << 10) + (*low - 0xDC00);
  }
  char bytes[4];
  unescaped_.append(bytes, quarry_json_put(*point, bytes));
  return true;
}

void JsonCursor::skip() {
  std::size_t depth = 0;
  do {
    pass_white_space();
    if (rest_.empty()) return fail();
    const char c = rest_.front();
    if (c == '"') {
      string();
    } else if (c == '{' || c == '[') {
      ++depth;
      rest_.remove_prefix(1);
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return fail();
      rest_.remove_prefix(1);
    } else if (depth > 0 && (c == ',' || c == ':')) {
      rest_.remove_prefix(1);
    } else {
      const auto end = std::ranges::find_if(rest_, is_mark);
      if (end == rest_.begin()) return fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
    }
  } while (depth > 0);
}

}  // namespace quarry::model_http
