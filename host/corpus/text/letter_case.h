#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace quarry::corpus {

/// True for an ASCII capital.
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr std::array<std::uint8_t, 256> lower_case_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    table[byte] = static_cast<std::uint8_t>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
  }
  return table;
}

/// The lower case of an ASCII letter, any other byte unchanged.
inline constexpr auto kLowerCase = lower_case_table();

/// The letters beyond ASCII that case folding equates with ASCII letters: U+212A KELVIN SIGN with
/// "k", U+017F LATIN SMALL LETTER LONG S with "s".
inline constexpr std::string_view kKelvin = "\xE2\x84\xAA";
inline constexpr std::string_view kLongS = "\xC5\xBF";

}  // namespace quarry::corpus
