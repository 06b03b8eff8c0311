#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::bench {

/// Nanoseconds of the clock that all processes of a machine share.
inline std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// A token with its number in the stream and its send time: "00042:00001f2e3d4c5b6a.".
struct Token {
  static constexpr std::size_t kSize = 23;
  std::uint32_t number = 0;
  std::uint64_t sent = 0;  ///< nanoseconds()

  [[nodiscard]] std::string text() const {
    char out[kSize + 1];
    std::snprintf(out, sizeof out, "%05u:%016llx.", number, static_cast<unsigned long long>(sent));
    return out;
  }
  static std::optional<Token> parse(std::string_view text) {
    if (text.size() < kSize || text[5] != ':' || text[kSize - 1] != '.') return std::nullopt;
    Token token;
    const char* const at = text.data();
    const auto number = std::from_chars(at, at + 5, token.number);
    const auto sent = std::from_chars(at + 6, at + kSize - 1, token.sent, 16);
    if (number.ptr != at + 5 || sent.ptr != at + kSize - 1) return std::nullopt;
    return token;
  }
};

}  // namespace quarry::bench
