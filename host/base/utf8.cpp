#include "base/utf8.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace quarry {
namespace {

/// The highest bit of each of eight bytes: 0 if all of them are ASCII. The first is the lowest.
std::uint64_t high_bits(const char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word & 0x8080'8080'8080'8080;
}

/// The place of the first byte that is not ASCII, from `i` on; eight bytes are read at once.
std::size_t skip_ascii(std::string_view text, std::size_t i) {
  for (; text.size() - i >= 8; i += 8) {
    const auto bits = high_bits(text.data() + i);
    if (bits != 0) return i + static_cast<std::size_t>(std::countr_zero(bits)) / 8;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Length in bytes of the well-formed sequence at the start of `text`, or 0 (Unicode 15, table
/// 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return text.size() >= 2 && is_continuation(text[1]) ? 2 : 0;
  const std::size_t length = lead < 0xF0 ? 3 : 4;
  if (text.size() < length || !is_continuation(text[2])) return 0;
  if (length == 4 && !is_continuation(text[3])) return 0;
  // The second byte excludes overlong forms, surrogates and what is beyond Unicode.
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return byte(1) >= least && byte(1) <= most ? length : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = skip_ascii(text, 0); i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return false;
    i += length;
    if (length == 1) i = skip_ascii(text, i);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::size_t utf8_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!is_continuation(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace quarry
