#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// `bytes` as UTF-8 if they are text in a national encoding: Shift_JIS, EUC-JP, ISO-2022-JP,
/// GB18030, Big5, EUC-KR, Windows-125x, KOI8-R and others. nullopt if none is recognised by its
/// statistics (uchardet), this system cannot convert it (iconv), or a conversion shows that it is
/// another one. Few bytes that are not in the encoding become U+FFFD.
[[nodiscard]] std::optional<std::string> from_legacy_encoding(std::string_view bytes);

}  // namespace quarry::corpus
