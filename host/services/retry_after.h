#pragma once

#include "base/clock.h"
#include "services/http_request.h"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace quarry::services {

/// The value of the first header of this name (in lower case), or nothing.
[[nodiscard]] std::string_view header_value(std::span<const HttpHeader> headers,
                                            std::string_view name);

/// A non-negative plain decimal of seconds, rounded up; at most 10^9 s.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_seconds(std::string_view text);

/// The wait that Retry-After asks for, in seconds or as a date (RFC 9110, 10.2.3); 0 for a past
/// date, at most 10^9 s.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(
    std::span<const HttpHeader> headers, Clock::Wall now);

}  // namespace quarry::services
