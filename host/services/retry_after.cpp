#include "services/retry_after.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace quarry::services {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kLongestWait{1'000'000'000};  // longer than any limit

/// Time until "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7); 0 for a past date.
std::optional<milliseconds> until(std::string_view date, Clock::Wall now) {
  std::tm parts{};
  const std::string text(date);
  const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end != '\0') return std::nullopt;
  // Not a time of the clock, whose nanoseconds end in the year 2262.
  const milliseconds at = std::chrono::seconds(::timegm(&parts));
  return std::clamp<milliseconds>(at - std::chrono::floor<milliseconds>(now.time_since_epoch()),
                                  milliseconds(0), kLongestWait);
}

}  // namespace

std::string_view header_value(std::span<const HttpHeader> headers, std::string_view name) {
  for (const auto& item : headers) {
    if (to_lower(item.name) == name) return trim(item.value);
  }
  return {};
}

std::optional<milliseconds> parse_seconds(std::string_view text) {
  double value = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failed != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    return std::nullopt;
  }
  constexpr auto kMost = static_cast<double>(kLongestWait.count());
  return milliseconds(static_cast<std::int64_t>(std::ceil(std::min(value, kMost) * 1000)));
}

std::optional<milliseconds> retry_after(std::span<const HttpHeader> headers, Clock::Wall now) {
  const std::string_view value = header_value(headers, "retry-after");
  if (const auto seconds = parse_seconds(value)) return seconds;
  return until(value, now);
}

}  // namespace quarry::services
