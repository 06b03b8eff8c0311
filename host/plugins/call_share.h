#pragma once

#include "base/error.h"
#include "services/call.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::plugins {

/// Says that a call waited for the turn of another one until it was over.
std::string busy_plugin(const std::string& id);

/// Excludes calls of one another; the thread that ends a turn may be another than the one that
/// began it. [any thread]
class Turn {
 public:
  /// Ends the turn on destruction, perhaps after that of the Turn.
  using Held = std::shared_ptr<void>;
  /// Waits while the call is not over.
  Result<Held> take(const services::Call& call);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable free;
    bool taken = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Bounds the calls of one plugin that workers wait for. [any thread]
class WorkerShare {
 public:
  using Steady = std::chrono::steady_clock;
  /// Calls that have run for kLong before another one is refused.
  static constexpr std::size_t kMostLong = 16;
  static constexpr std::chrono::seconds kLong{1};

  /// Counts a call on a worker until destruction of the result; on other threads it is null.
  /// kResourceExhausted if too many have run for long. Must outlive the result.
  Result<std::shared_ptr<void>> take(Steady::time_point now = Steady::now());

 private:
  std::mutex mutex_;
  std::list<Steady::time_point> begun_;  ///< oldest first
};

}  // namespace quarry::plugins
