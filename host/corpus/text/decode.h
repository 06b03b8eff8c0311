#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// The bytes of a file as UTF-8 text without byte order mark, or nullopt if they are not text: a
/// NUL, more than 30 % control characters at the start, or more than 30 % stray bytes. UTF-16 is
/// converted, with a byte order mark or without, and so are the encodings of legacy_encoding.h; in
/// what is left, bytes that are not UTF-8 become U+FFFD. A text whose only ends of lines are
/// carriage returns gets newlines.
///
/// The view is into `bytes` if nothing had to change, otherwise into `storage`.
std::optional<std::string_view> decode_text(std::string_view bytes, std::string& storage);

/// The same for the file at `path`: a notebook is shown as notebook_text() does.
std::optional<std::string_view> decode_file(std::string_view path, std::string_view bytes,
                                            std::string& storage);

}  // namespace quarry::corpus
