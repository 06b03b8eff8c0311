#include "store_sql/money.h"

#include <algorithm>
#include <charconv>

namespace quarry::store_sql {
namespace {

constexpr std::size_t kDecimals = 9;

/// Parses 1 to 9 digits and nothing else.
std::optional<std::int64_t> number_of(std::string_view digits) {
  const bool plain = digits.find_first_not_of("0123456789") == digits.npos;
  if (digits.empty() || digits.size() > kDecimals || !plain) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<std::int64_t> nanos_of(std::string_view decimal) {
  const auto point = decimal.find('.');
  const auto dollars = number_of(decimal.substr(0, point));
  if (!dollars || *dollars > kMostNanos / kNanos) return std::nullopt;
  std::int64_t nanos = *dollars * kNanos;
  if (point != decimal.npos) {
    std::string fraction(decimal.substr(point + 1));
    const auto given = number_of(fraction);
    if (!given) return std::nullopt;
    fraction.resize(kDecimals, '0');
    nanos += *number_of(fraction);
  }
  if (nanos > kMostNanos) return std::nullopt;
  return nanos;
}

std::string decimal_of(std::int64_t nanos) {
  nanos = std::clamp<std::int64_t>(nanos, 0, kMostNanos);
  std::string out = std::to_string(nanos / kNanos);
  if (nanos % kNanos == 0) return out;
  std::string fraction = std::to_string(kNanos + nanos % kNanos).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return out + '.' + fraction;
}

}  // namespace quarry::store_sql
