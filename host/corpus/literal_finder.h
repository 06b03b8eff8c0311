#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// Where in `literal` (not empty) its rarest byte stands.
[[nodiscard]] std::size_t rarest_byte(std::string_view literal);

/// Finds a literal in long texts. It looks for the two rarest bytes of the literal at their
/// distance, many places at a time, and compares only where both stand.
class LiteralFinder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  /// `literal` is not empty. With `ignore_case`, ASCII letters fit in either case.
  LiteralFinder(std::string literal, bool ignore_case);

  /// Where the literal first stands in `text` at or after `from`; npos when it does not.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const;

  [[nodiscard]] const std::string& literal() const { return literal_; }
  /// How rarely it is to be expected; greater is rarer.
  [[nodiscard]] unsigned rarity() const;

 private:
  [[nodiscard]] bool stands_at(const char* place) const;

  std::string literal_;  // lower case when case is ignored
  bool ignore_case_;
  std::size_t first_ = 0;  // positions of the two bytes, ascending; equal for a literal of one byte
  std::size_t second_ = 0;
};

}  // namespace quarry::corpus
