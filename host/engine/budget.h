#pragma once

#include "base/clock.h"
#include "base/decimal.h"

namespace quarry::engine {

/// Beginning of the month (UTC) of `now`.
[[nodiscard]] Clock::Wall month_begin(Clock::Wall now);

/// The rest of a month's budget; RateLimitError with both amounts when nothing is left.
Result<Money> left_of(Money budget, Money spent, Clock::Wall now);

}  // namespace quarry::engine
