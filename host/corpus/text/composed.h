#pragma once

#include <string>
#include <string_view>

namespace quarry::corpus {

/// True if `text` has only ASCII characters, so that it has one form only.
[[nodiscard]] bool is_all_ascii(std::string_view text);

/// `text` in the composed form of Unicode (NFC), in which equal names are equal bytes: file systems
/// and keyboards write "é" as one character or as two. Text that is not UTF-8 is unchanged.
[[nodiscard]] std::string composed(std::string_view text);

}  // namespace quarry::corpus
