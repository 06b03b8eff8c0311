#include "base/printable.h"

#include "base/utf8.h"

#include <cstdint>
#include <cstdio>

namespace quarry {
namespace {

struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The first code point of well-formed `text`.
CodePoint first_of(std::string_view text) {
  const auto tail = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) & 0x3Fu; };
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1Fu) << 6 | tail(1), 2};
  if (lead < 0xF0) return {(lead & 0x0Fu) << 12 | tail(1) << 6 | tail(2), 3};
  return {(lead & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

bool is_bidirectional_control(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool steers(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  return control || c == 0x2028 || c == 0x2029 || is_bidirectional_control(c);
}

/// Invisible format characters (Unicode 15: Cf).
bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x180E || (c >= 0x200B && c <= 0x200D) || (c >= 0x2060 && c <= 0x206F) ||
         c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

std::string number(const char* format, char32_t c) {
  char out[16];
  std::snprintf(out, sizeof out, format, static_cast<unsigned>(c));
  return out;
}

/// `text` with control characters written by `escape`, a format of one number, and newlines as
/// `newline`.
std::string escaped(std::string_view text, const char* escape, std::string_view newline) {
  std::string out;
  out.reserve(text.size());
  for (CodePoint c{}; !text.empty(); text.remove_prefix(c.bytes)) {
    c = first_of(text);
    if (text.starts_with("\r\n")) continue;  // a line end: only the newline is shown
    if (c.value == '\n') {
      out += newline;
    } else if (c.value == '\t' || !steers(c.value)) {
      out += text.substr(0, c.bytes);
    } else {
      out += number(escape, c.value);
    }
  }
  return out;
}

constexpr const char* kEscape = "\\u{%x}";

}  // namespace

std::string printable(std::string_view text) {
  return escaped(to_utf8(text), kEscape, "\n");
}

std::string printable_line(std::string_view text) {
  return escaped(to_utf8(text), kEscape, "\\n");
}

std::string printable_indented(std::string_view text, std::size_t columns) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return escaped(to_utf8(text), kEscape, "\n" + std::string(columns, ' '));
}

std::string printable_json(std::string_view json) {
  return escaped(to_utf8(json), "\\u%04x", "\n");
}

std::string printable_exact(std::string_view given) {
  const std::string valid = to_utf8(given);
  std::string out;
  for (std::string_view text = valid; !text.empty();) {
    const CodePoint c = first_of(text);
    if (steers(c.value) || is_invisible(c.value)) {
      out += number(c.value > 0xFFFF ? "\\U%08X" : "\\u%04X", c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string printable_exact(std::string_view given, std::size_t most) {
  constexpr std::size_t kMostBytes = 4;  // of a code point
  std::string all = printable_exact(given.substr(0, kMostBytes * (most + 1)));
  std::size_t at = 0;
  for (std::size_t count = 0; count < most && at < all.size(); ++count) {
    at += first_of(std::string_view(all).substr(at)).bytes;
  }
  if (at == all.size() && given.size() <= kMostBytes * (most + 1)) return all;
  return all.substr(0, at) + "…";
}

}  // namespace quarry
