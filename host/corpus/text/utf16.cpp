#include "corpus/text/utf16.h"

#include "corpus/text/code_point.h"

#include <array>
#include <cstdint>
#include <utility>

namespace quarry::corpus {
namespace {

/// Bytes at the start of a file that are examined; even.
constexpr std::size_t kExaminedUtf16 = 64u << 10;
constexpr std::size_t kLeastAscii = 4;  // units
/// From this number of units on, text of a script other than Latin needs only a little ASCII.
constexpr std::size_t kManyUnits = 64;

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

std::uint32_t unit_at(std::string_view bytes, std::size_t i, ByteOrder order) {
  const auto first = static_cast<unsigned char>(bytes[i]);
  const auto second = static_cast<unsigned char>(bytes[i + 1]);
  return order == ByteOrder::kBig ? first << 8 | second : second << 8 | first;
}

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

bool is_ascii_text(std::uint32_t unit) {
  return (unit >= 0x20 && unit < 0x7F) || (unit >= '\t' && unit <= '\r');
}

/// True for units in blocks of scripts, punctuation and symbols that texts use.
bool is_in_use(std::uint32_t unit) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 7> kBlocks = {{{0xA0, 0x0FFF},
                                                                               {0x1E00, 0x206F},
                                                                               {0x20A0, 0x20CF},
                                                                               {0x2100, 0x27BF},
                                                                               {0x3000, 0x9FFF},
                                                                               {0xAC00, 0xD7A3},
                                                                               {0xFE30, 0xFFEF}}};
  for (const auto& [first, last] : kBlocks) {
    if (unit >= first && unit <= last) return true;
  }
  return false;
}

bool is_utf16_text(std::string_view bytes, ByteOrder order) {
  std::size_t ascii = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const std::uint32_t unit = unit_at(bytes, i, order);
    if (is_ascii_text(unit)) {
      ++ascii;
    } else if (is_high_surrogate(unit)) {
      const bool cut = i + 3 >= bytes.size();
      if (!cut && !is_low_surrogate(unit_at(bytes, i + 2, order))) return false;
      i += 2;
    } else if (!is_in_use(unit)) {
      return false;
    }
  }
  const std::size_t units = bytes.size() / 2;
  return ascii >= kLeastAscii &&
         (ascii * 3 >= units || (units >= kManyUnits && ascii * 64 >= units));
}

}  // namespace

std::string utf16_to_utf8(std::string_view bytes, ByteOrder order) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    const std::uint32_t high = unit_at(bytes, i, order);
    if (!is_high_surrogate(high) && !is_low_surrogate(high)) {
      append_code_point(out, high);
      continue;
    }
    const std::uint32_t low =
        is_high_surrogate(high) && i + 3 < bytes.size() ? unit_at(bytes, i + 2, order) : 0;
    if (!is_low_surrogate(low)) {
      out += kReplacement;
      continue;
    }
    append_code_point(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
    i += 2;
  }
  if (i < bytes.size()) out += kReplacement;
  return out;
}

std::optional<ByteOrder> utf16_without_mark(std::string_view bytes) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const std::string_view start = bytes.substr(0, kExaminedUtf16);
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    if (is_utf16_text(start, order)) return order;
  }
  return std::nullopt;
}

}  // namespace quarry::corpus
