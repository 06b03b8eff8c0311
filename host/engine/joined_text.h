#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace quarry::engine {

/// A text of several parts, of static duration.
template <std::size_t Size>
struct JoinedText {
  std::array<char, Size> bytes{};
  [[nodiscard]] constexpr const char* data() const { return bytes.data(); }
  [[nodiscard]] constexpr std::string_view view() const { return {data(), Size}; }
};

template <std::size_t Size>
std::integral_constant<std::size_t, Size - 1> joined_size(const char (&)[Size]);
template <std::size_t Size>
std::integral_constant<std::size_t, Size> joined_size(const JoinedText<Size>&);

/// Joins string literals and joined texts when the program is compiled.
template <class... Parts>
constexpr auto joined(const Parts&... parts) {
  JoinedText<(decltype(joined_size(parts))::value + ...)> out;
  std::size_t at = 0;
  const auto append = [&](const char* part, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) out.bytes[at++] = part[i];
  };
  (append(std::data(parts), decltype(joined_size(parts))::value), ...);
  return out;
}

}  // namespace quarry::engine
