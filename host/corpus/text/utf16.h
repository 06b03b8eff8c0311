#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

enum class ByteOrder { kLittle, kBig };

/// Converts UTF-16 without byte order mark. A lone surrogate, and half a unit at the end, becomes
/// U+FFFD.
[[nodiscard]] std::string utf16_to_utf8(std::string_view bytes, ByteOrder order);

/// The byte order of `bytes` if they are UTF-16 text without a byte order mark: no control
/// characters, no unpaired surrogates, only blocks of scripts in use, and enough ASCII.
[[nodiscard]] std::optional<ByteOrder> utf16_without_mark(std::string_view bytes);

}  // namespace quarry::corpus
