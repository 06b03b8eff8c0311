#pragma once

#include "base/clock.h"
#include "base/decimal.h"

namespace quarry::engine {

/// When the month (UTC) began that `now` is in.
[[nodiscard]] Clock::Wall month_begin(Clock::Wall now);

/// What is left of a month's budget; RateLimitError with both figures when nothing is.
Result<Money> left_of(Money budget, Money spent, Clock::Wall now);

}  // namespace quarry::engine
