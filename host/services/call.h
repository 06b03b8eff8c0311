#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace quarry::services {

/// Conditions that end a blocking operation: a stop request, a deadline, or the state of the outer
/// call. Each is polled at least every 20 ms.
struct Call {
  std::stop_token stop;
  std::optional<Clock::Steady> deadline;
  /// State of the outer call; kOk while its result is wanted. May be empty. Must be cheap.
  std::function<Code()> state;

  /// kCancelled or kDeadlineExceeded once the call is over. [any thread]
  [[nodiscard]] Status check() const;
  /// Longest wait before the next check(): 0 to 20 ms. [any thread]
  [[nodiscard]] std::chrono::milliseconds max_wait() const;
};

/// Returns after `duration`, or at once with check()'s failure when the call is over. [worker]
Status sleep(const Call& call, std::chrono::nanoseconds duration);

}  // namespace quarry::services
