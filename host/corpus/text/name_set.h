#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace quarry::corpus {

/// A short list of names.
using NameSet = std::span<const std::string_view>;

[[nodiscard]] inline bool has(NameSet set, std::string_view name) {
  return std::ranges::find(set, name) != set.end();
}

/// Names of at most 31 bytes of ASCII that are known when this is compiled. Most other words are
/// told by their first byte and their length.
template <std::size_t N>
class FixedNames {
 public:
  explicit constexpr FixedNames(const std::array<std::string_view, N>& names) : names_(names) {
    for (const std::string_view name : names_) lengths_[slot_of(name)] |= 1u << name.size();
  }
  [[nodiscard]] constexpr bool contains(std::string_view word) const {
    if (word.empty() || word.size() > 31 || (lengths_[slot_of(word)] >> word.size() & 1) == 0) {
      return false;
    }
    return std::ranges::find(names_, word) != names_.end();
  }

 private:
  static constexpr std::size_t slot_of(std::string_view word) {
    return static_cast<unsigned char>(word.front()) & 127u;
  }
  std::array<std::string_view, N> names_;
  std::array<std::uint32_t, 128> lengths_{};  ///< bits, by first byte
};

}  // namespace quarry::corpus
