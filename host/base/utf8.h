#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry {

/// True when `text` is well-formed UTF-8 (no overlong forms, no surrogates). [any thread]
[[nodiscard]] bool is_utf8(std::string_view text);

/// `text` with every byte that does not belong to well-formed UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view text);

/// How many code points well-formed `text` has.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// The longest prefix of `text` of at most `bytes` bytes that does not cut a code point in two.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace quarry
