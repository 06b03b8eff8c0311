#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace quarry::services {

/// One blocking call of a service or into a plugin: the conditions that end it, each polled at
/// least every 20 ms, and its progress. Default: nothing ends it, and nobody is told of progress.
struct Call {
  std::stop_token stop = {};
  std::optional<Clock::Steady> deadline = {};
  /// State of the outer call; kOk while its result is wanted. May be empty. Must be cheap.
  std::function<Code()> state = {};
  /// Called on the plugin's thread with {"message", "done", "total"?} as written by the plugin; may
  /// be empty. Text that is not such an object is dropped.
  std::function<void(std::string_view json)> progress = {};
  /// Project of the token for which the call is made; empty for the owner of the host. Isolated
  /// plugins work for each project in a process of its own.
  std::string project = {};

  /// kOk, or kCancelled or kDeadlineExceeded once the call is over. [any thread]
  [[nodiscard]] Code outcome() const;
  /// The same as an error with a message. [any thread]
  [[nodiscard]] Status check() const;
  /// Longest wait before the next check(): 0 to 20 ms. [any thread]
  [[nodiscard]] std::chrono::milliseconds max_wait() const;
};

/// Returns after `duration`, or at once with check()'s failure when the call is over. [worker]
Status sleep(const Call& call, std::chrono::nanoseconds duration);

}  // namespace quarry::services
