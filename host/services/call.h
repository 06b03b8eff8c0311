#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace quarry::services {

/// When a blocking operation must give up: its owner stopped it, its deadline passed, or the call
/// it works for says so. All are looked at every 20 ms at the latest.
struct Call {
  std::stop_token stop;
  std::optional<Clock::Steady> deadline;
  /// The state of an outer call; kOk while it is wanted. May be empty. Must be cheap.
  std::function<Code()> state;

  /// kCancelled or kDeadlineExceeded once the call is over. [any thread]
  [[nodiscard]] Status check() const;
  /// How long one may wait before the next check(): 0 to 20 ms. [any thread]
  [[nodiscard]] std::chrono::milliseconds patience() const;
};

/// Returns after `duration`, or at once with check()'s failure when the call is over. [worker]
Status sleep(const Call& call, std::chrono::nanoseconds duration);

}  // namespace quarry::services
