#pragma once

#include "base/error.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace quarry {

/// The sum, clamped to the range of the type.
[[nodiscard]] constexpr std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? Limits::max() : Limits::min();
}

/// An amount of money in nano-dollars (1e-9 USD). Sums are exact up to nine billion (9e9) dollars.
struct Money {
  std::int64_t nanos = 0;

  friend Money operator+(Money a, Money b) { return {saturating_sum(a.nanos, b.nanos)}; }
  friend auto operator<=>(Money, Money) = default;
};

/// A price in nano-dollars per 1,000,000 tokens, from a decimal string such as "0.075".
/// kInvalidArgument when it is not a plain non-negative decimal with at most 9 fractional digits
/// and at most 1,000,000 dollars.
Result<Money> parse_money(std::string_view decimal);

/// Cost of `tokens` at `rate` per 1,000,000 tokens, rounded half up to a nano-dollar and clamped to
/// the largest amount.
[[nodiscard]] Money price_of(std::int64_t tokens, Money rate);

/// Shortest plain decimal of dollars: "0.0125", "0", "-1.5". It is also a JSON number.
[[nodiscard]] std::string to_decimal(Money amount);

}  // namespace quarry
