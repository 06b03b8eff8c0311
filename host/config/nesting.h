#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry::config {

/// Most levels of tables and arrays in a TOML text: parts of headers and of dotted keys, arrays and
/// inline tables, nested in each other. Each is at most two levels of JSON (a list of tables), so
/// that a table can be parsed again as JSON text (kMaxJsonDepth).
inline constexpr std::size_t kMaxNesting = 32;

/// A position in a text, from 1; columns are bytes.
struct TextPosition {
  std::uint32_t line;
  std::uint32_t column;
};

/// Position where `text` first nests deeper than kMaxNesting; nothing if it does not. Scans tokens
/// in one pass without recursion, to protect the parser, which recurses. For a text that is not
/// TOML the result is valid up to its first mistake. (TOML 1.0.)
std::optional<TextPosition> nested_too_deep(std::string_view text);

}  // namespace quarry::config
