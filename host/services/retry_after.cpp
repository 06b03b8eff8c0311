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

constexpr double kLongestSeconds = 1e9;  // seconds; longer than any limit, without overflow

/// Time until "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7); 0 for a past date.
std::optional<milliseconds> until(std::string_view date, Clock::Wall now) {
  std::tm parts{};
  const std::string text(date);
  const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end != '\0') return std::nullopt;
  const auto at = std::chrono::system_clock::from_time_t(::timegm(&parts));
  return std::max(std::chrono::ceil<milliseconds>(at - now), milliseconds(0));
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
  return milliseconds(
      static_cast<std::int64_t>(std::ceil(std::min(value, kLongestSeconds) * 1000)));
}

std::optional<milliseconds> retry_after(std::span<const HttpHeader> headers, Clock::Wall now) {
  const std::string_view value = header_value(headers, "retry-after");
  if (const auto seconds = parse_seconds(value)) return seconds;
  return until(value, now);
}

}  // namespace quarry::services
