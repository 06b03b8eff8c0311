#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// ASCII lower case; other bytes are unchanged.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

/// The first `most` bytes of `text` for a message; a byte other than printable ASCII becomes '?'.
inline std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
  }
  return out + (text.size() > most ? "…" : "");
}

}  // namespace quarry::resource_npm
