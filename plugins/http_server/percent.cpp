#include "percent.h"

#include <charconv>

namespace quarry::http_server {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (text.front() != '%') {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned char byte = 0;
    if (text.size() < 3) return std::nullopt;
    const auto end = std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr;
    if (end != text.data() + 3 || byte == 0) return std::nullopt;
    out += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return out;
}

}  // namespace quarry::http_server
