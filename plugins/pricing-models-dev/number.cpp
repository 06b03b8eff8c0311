#include "pricing-models-dev/number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace quarry::pricing_models_dev {
namespace {

constexpr int kFraction = 9;  // a nano-dollar
constexpr int kWhole = 7;     // of 1,000,000
constexpr std::size_t kMaxLength = 1000;
constexpr int kMaxExponent = 400;
constexpr std::uint64_t kMost = 1'000'000'000'000'000;

/// The digits of the number without leading zeros, and the count of those before the point.
struct Digits {
  std::string text;
  int point = 0;
};

std::optional<Digits> digits_of(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  int exponent = 0;
  if (mark < number.size()) {
    std::string_view power = number.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const char* const end = power.data() + power.size();
    const auto read = std::from_chars(power.data(), end, exponent);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    if (exponent < -kMaxExponent || exponent > kMaxExponent) return std::nullopt;
  }
  const std::string_view mantissa = number.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  Digits out{std::string(mantissa), static_cast<int>(point) + exponent};
  if (point < out.text.size()) out.text.erase(point, 1);
  if (out.text.empty() || out.text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t zeros = std::min(out.text.find_first_not_of('0'), out.text.size());
  out.text.erase(0, zeros);
  out.point -= static_cast<int>(zeros);
  return out;
}

std::string decimal(std::uint64_t nanos) {
  std::string text = std::to_string(nanos);
  if (text.size() <= kFraction) text.insert(0, kFraction + 1 - text.size(), '0');
  text.insert(text.size() - kFraction, 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::optional<std::string> plain_dollars(std::string_view number) {
  if (number.empty() || number.size() > kMaxLength) return std::nullopt;
  const auto digits = digits_of(number);
  if (!digits) return std::nullopt;
  if (digits->text.empty()) return "0";
  if (digits->point > kWhole) return std::nullopt;
  std::uint64_t nanos = 0;
  const int wanted = digits->point + kFraction;
  for (int i = 0; i < wanted; ++i) {
    const auto at = static_cast<std::size_t>(i);
    nanos = nanos * 10 + (at < digits->text.size() ? digits->text[at] - '0' : 0);
  }
  const auto next = static_cast<std::size_t>(std::max(wanted, 0));
  if (wanted >= 0 && next < digits->text.size() && digits->text[next] >= '5') ++nanos;
  if (nanos > kMost) return std::nullopt;
  return decimal(nanos);
}

}  // namespace quarry::pricing_models_dev
