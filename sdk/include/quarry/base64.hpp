/// Base64 (RFC 4648, section 4), the encoding of credentials and integrity hashes.
#ifndef QUARRY_BASE64_HPP
#define QUARRY_BASE64_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes `bytes`, with padding.
inline std::string to_base64(std::string_view bytes) {
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kBase64Digits[(held >> (bits - 6)) & 63];
  }
  if (bits > 0) out += kBase64Digits[(held << (6 - bits)) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

/// Decodes `text`; nullopt when it is not Base64. Padding may be missing.
inline std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t value = kBase64Digits.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = (held << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((held >> bits) & 0xff);
  }
  return out;
}

}  // namespace quarry

#endif
