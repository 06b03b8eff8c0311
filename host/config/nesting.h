#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry::config {

/// How many levels of tables and arrays a TOML text may have: parts of headers and of dotted keys,
/// arrays and inline tables, one within the other. Each is at most two levels of JSON (a list of
/// tables), so that a table can be read again as JSON text (kMaxJsonDepth).
inline constexpr std::size_t kMaxNesting = 32;

/// A position in a text, from 1; columns are bytes.
struct TextPosition {
  std::uint32_t line;
  std::uint32_t column;
};

/// Where `text` first nests deeper than kMaxNesting; nothing when it does not. Only tokens are
/// looked at, in one pass and without recursion, so that the parser, which recurses, need not be
/// asked. A text that is not TOML has an answer up to its first mistake. (TOML 1.0.)
std::optional<TextPosition> nested_too_deep(std::string_view text);

}  // namespace quarry::config
