#include "base/decimal.h"

#include <algorithm>
#include <limits>

namespace quarry {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kMaxDollars = 1'000'000;

Error bad_amount(std::string_view text, std::string_view why) {
  return {Code::kInvalidArgument,
          "\"" + std::string(text.substr(0, 64)) + "\" is not an amount: " + std::string(why),
          "Write plain decimal dollars, as in \"0.075\"."};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Result<Money> parse_money(std::string_view decimal) {
  std::int64_t dollars = 0;
  std::size_t i = 0;
  for (; i < decimal.size() && is_digit(decimal[i]); ++i) {
    dollars = dollars * 10 + (decimal[i] - '0');
    if (dollars > kMaxDollars) return bad_amount(decimal, "more than 1000000 dollars");
  }
  if (i == 0) return bad_amount(decimal, "it must start with a digit");
  std::int64_t fraction = 0;
  if (i < decimal.size() && decimal[i] == '.') {
    std::int64_t unit = kNanos / 10;
    const std::size_t first = ++i;
    for (; i < decimal.size() && is_digit(decimal[i]); ++i, unit /= 10) {
      if (unit == 0) return bad_amount(decimal, "more than 9 digits after the point");
      fraction += (decimal[i] - '0') * unit;
    }
    if (i == first) return bad_amount(decimal, "no digit after the point");
  }
  if (i != decimal.size()) return bad_amount(decimal, "only digits and one point are allowed");
  return Money{dollars * kNanos + fraction};
}

Money price_of(std::int64_t tokens, Money rate) {
  __extension__ using Wide = __int128;
  const Wide nanos = (static_cast<Wide>(tokens) * rate.nanos + 500'000) / 1'000'000;
  const Wide most = std::numeric_limits<std::int64_t>::max();
  return {static_cast<std::int64_t>(std::min(nanos, most))};
}

std::string to_decimal(Money amount) {
  const bool negative = amount.nanos < 0;
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(amount.nanos)
                                  : static_cast<std::uint64_t>(amount.nanos);
  std::string out = (negative ? "-" : "") + std::to_string(magnitude / kNanos);
  if (const std::uint64_t fraction = magnitude % kNanos; fraction != 0) {
    std::string digits = std::to_string(fraction);
    digits.insert(0, 9 - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    out += '.' + digits;
  }
  return out;
}

}  // namespace quarry
