#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The first `most` bytes of `text` for a message; a byte other than printable ASCII becomes '?'.
inline std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
  }
  return out + (text.size() > most ? "…" : "");
}

}  // namespace quarry::resource_npm
