/// Percent encoding (RFC 3986, section 2.1) of paths and queries.
#ifndef QUARRY_PERCENT_HPP
#define QUARRY_PERCENT_HPP

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace quarry {

/// Encodes every byte but the unreserved characters and those in `also`.
inline std::string to_percent_encoded(std::string_view text, std::string_view also = {}) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kMarks = "-._~";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kMarks.find(c) != std::string_view::npos ||
                       also.find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

/// Decodes `text`; nullopt when a '%' is not followed by two hexadecimal digits.
inline std::optional<std::string> from_percent_encoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool coded = text.front() == '%';
    if (coded && text.size() < 3) return std::nullopt;
    unsigned char byte = 0;
    const char* const digits = text.data() + 1;
    if (coded && std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::nullopt;
    }
    out += coded ? static_cast<char>(byte) : text.front();
    text.remove_prefix(coded ? 3 : 1);
  }
  return out;
}

}  // namespace quarry

#endif
