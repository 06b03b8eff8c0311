#pragma once

#include "base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quarry {

using Json = nlohmann::json;

/// Maximum nesting depth of a JSON text; deeper texts are rejected before they use stack.
inline constexpr std::size_t kMaxJsonDepth = 64;

/// Parses `text` as one JSON value. Rejects, with the byte position: malformed text, invalid UTF-8,
/// NUL, nesting beyond kMaxJsonDepth, a key that appears twice in one object, an escaped NUL inside
/// a key, numbers outside the range of a double. Code kInvalidArgument. [any thread]
Result<Json> parse_json(std::string_view text);

/// One line of UTF-8 JSON; bytes that are not UTF-8 become U+FFFD. [any thread]
std::string to_text(const Json& value);

/// Appends `text` as a quoted JSON string to `out`, invalid UTF-8 as U+FFFD. [any thread]
void append_quoted(std::string& out, std::string_view text);

/// append_quoted without the quotes.
void append_escaped(std::string& out, std::string_view text);

/// `text` as a quoted JSON string.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace quarry
