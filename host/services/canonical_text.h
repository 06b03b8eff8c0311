#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

// Texts in a form in which the spellings of one value are equal. Case and the two alphabets of
// base64 are equal: so are `-`, `+` and the space, and `_` and `/`.

/// The bytes of `text` as they are written, one for each.
[[nodiscard]] std::string canonical(std::string_view text);

struct DecodedText {
  std::string bytes;  ///< canonical
  // The place of each byte in the original; empty unless asked for.
  std::vector<std::size_t> begins;
  std::vector<std::size_t> ends;
};
enum class ByteOrigins { kKept, kLeft };

/// False if decoded(text) is canonical(text).
[[nodiscard]] bool may_be_encoded(std::string_view text);

/// The bytes that `text` means: percent-encoding, escapes of JSON and C, and entities of HTML are
/// decoded, each as often as it was applied; backslashes, and line breaks with the blanks after
/// them (folded headers), are left out.
[[nodiscard]] DecodedText decoded(std::string_view text, ByteOrigins origins);

}  // namespace quarry::services
