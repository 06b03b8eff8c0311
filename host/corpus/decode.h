#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// The bytes of a file as UTF-8 text without byte order mark, or nullopt when they are not text: a
/// NUL, more than 30 % control characters at the start, or more than 30 % stray bytes. UTF-16 with
/// a byte order mark is converted; of other encodings the bytes that are not UTF-8 become U+FFFD.
///
/// The view is into `bytes` where nothing had to change, and into `storage` otherwise.
std::optional<std::string_view> decode_text(std::string_view bytes, std::string& storage);

}  // namespace quarry::corpus
