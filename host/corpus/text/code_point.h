#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quarry::corpus {

/// U+FFFD, which stands for bytes that are no character.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};

/// The code point at the start of `text`, which is not empty; a stray byte counts as a code
/// point of its own. [any thread]
[[nodiscard]] inline CodePoint code_point(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes > text.size()) return {lead, 1};
  std::uint32_t value = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) value = value << 6 | (at(i) & 0x3Fu);
  return {value, bytes};
}

}  // namespace quarry::corpus
