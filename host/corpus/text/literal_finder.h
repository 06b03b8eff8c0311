#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Position of the rarest byte of `literal`, which is not empty.
[[nodiscard]] std::size_t rarest_byte(std::string_view literal);

/// Finds a literal in long texts. Searches for the two rarest bytes of the literal at their
/// distance, many positions at a time, and compares only where both match.
class LiteralFinder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// `literal` is not empty. With `ignore_case`, ASCII letters match in either case.
  LiteralFinder(std::string literal, bool ignore_case);

  /// Position of the first occurrence in `text` at or after `from`; npos if there is none.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const;

  [[nodiscard]] const std::string& literal() const { return literal_; }
  /// Estimated rarity of the literal; greater is rarer.
  [[nodiscard]] unsigned rarity() const;

 private:
  [[nodiscard]] bool matches_at(const char* place) const;

  std::string literal_;  // lower case if case is ignored
  bool ignore_case_;
  std::size_t first_ = 0;  // positions of the two bytes, ascending; equal for a literal of one byte
  std::size_t second_ = 0;
};

}  // namespace quarry::corpus
