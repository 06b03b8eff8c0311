#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry {

/// An amount of money in nano-dollars (1e-9 USD). Sums are exact.
struct Money {
  std::int64_t nanos = 0;

  friend Money operator+(Money a, Money b) { return {a.nanos + b.nanos}; }
  friend auto operator<=>(Money, Money) = default;
};

/// A price in nano-dollars per 1,000,000 tokens, from a decimal string such as "0.075".
/// kInvalidArgument when it is not a plain non-negative decimal with at most 9 fractional digits
/// and at most 1,000,000 dollars.
Result<Money> parse_money(std::string_view decimal);

/// What `tokens` cost at `rate` per 1,000,000 tokens, rounded half up to a nano-dollar.
[[nodiscard]] Money price_of(std::int64_t tokens, Money rate);

/// Shortest plain decimal of dollars: "0.0125", "0", "-1.5". It is also a JSON number.
[[nodiscard]] std::string to_decimal(Money amount);

}  // namespace quarry
