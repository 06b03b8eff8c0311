#pragma once

#include "base/clock.h"

#include <string>

namespace quarry {

/// A time as RFC 3339 in UTC, to the second: "2026-11-01T12:00:00Z". [any thread]
[[nodiscard]] std::string rfc3339(Clock::Wall time);

}  // namespace quarry
