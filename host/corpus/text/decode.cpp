#include "corpus/text/decode.h"

#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace quarry::corpus {
namespace {

/// Bytes at the start of a file that are examined for control characters.
constexpr std::size_t kExaminedBytes = 64u << 10;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_code_point(std::string& out, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

std::string utf16_to_utf8(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  std::string out;
  out.reserve(bytes.size());
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    const std::uint32_t high = unit(i);
    if (high < 0xD800 || high > 0xDFFF) {
      append_code_point(out, high);
      continue;
    }
    const std::uint32_t low = high < 0xDC00 && i + 3 < bytes.size() ? unit(i + 2) : 0;
    if (low < 0xDC00 || low > 0xDFFF) {
      out += kReplacement;
      continue;
    }
    append_code_point(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
    i += 2;
  }
  if (i < bytes.size()) out += kReplacement;
  return out;
}

bool is_odd_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  // Tab to carriage return are white space; backspace and escape occur in captured terminal output.
  return (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0D) && byte != 0x1B) || byte == 0x7F;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++count) {
    at += part.size();
  }
  return count;
}

bool too_odd(std::size_t odd, std::size_t all) {
  return odd * 10 > all * 3;
}

}  // namespace

std::optional<std::string_view> decode_text(std::string_view bytes, std::string& storage) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    storage = utf16_to_utf8(bytes.substr(2), bytes.starts_with('\xFE'));
    bytes = storage;
  } else if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.remove_prefix(3);
  }
  if (bytes.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string_view start = bytes.substr(0, kExaminedBytes);
  const auto odd =
      static_cast<std::size_t>(std::count_if(start.begin(), start.end(), is_odd_control));
  if (too_odd(odd, start.size())) return std::nullopt;
  if (is_utf8(bytes)) return bytes;
  const std::size_t before = count_of(bytes, kReplacement);
  storage = to_utf8(bytes);
  if (too_odd(count_of(storage, kReplacement) - before, bytes.size())) return std::nullopt;
  return storage;
}

}  // namespace quarry::corpus
