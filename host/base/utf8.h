#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry {

/// True if `text` is well-formed UTF-8 (no overlong forms, no surrogates). [any thread]
[[nodiscard]] bool is_utf8(std::string_view text);

/// `text` with every byte outside well-formed sequences replaced by U+FFFD.
[[nodiscard]] std::string to_utf8(std::string_view text);

/// Number of code points in well-formed `text`.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// The first `count` code points of well-formed `text`.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t count);

/// The longest prefix of `text` of at most `bytes` bytes that does not cut a code point in two.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

}  // namespace quarry
