#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::corpus {

constexpr std::array<bool, 256> word_byte_table() {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) {
    table[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c >= 0x80;
  }
  return table;
}

inline constexpr auto kWordBytes = word_byte_table();

/// True for a byte of a word: ASCII letters and digits, "_", all beyond ASCII.
constexpr bool is_word_byte(char c) {
  return kWordBytes[static_cast<unsigned char>(c)];
}

/// A Bloom filter of words with one bit for each, in whichever case their ASCII letters are.
using WordMask = std::uint64_t;

/// The words of `text`.
[[nodiscard]] WordMask words_mask(std::string_view text);

/// The first word of `text`; nothing if it has none.
[[nodiscard]] WordMask first_word_mask(std::string_view text);

}  // namespace quarry::corpus
