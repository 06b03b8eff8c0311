#pragma once

#include <quarry/abi.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace quarry::runner {

/// Bounds the number of runners of one kind, or of those that are started at once. [any thread]
class RunnerCount {
 public:
  /// Counts one until destruction, perhaps after that of the RunnerCount.
  using Held = std::shared_ptr<void>;

  explicit RunnerCount(std::size_t most) : state_(std::make_shared<State>(most)) {}
  /// Waits while there are as many as may be; null if the call is over first. `end_one` is called
  /// before each wait and may end one; it may be empty. `call`: null = nothing ends the wait.
  [[nodiscard]] Held take(const quarry_call* call, const std::function<void()>& end_one = {});

 private:
  struct State {
    explicit State(std::size_t limit) : most(limit) {}
    const std::size_t most;
    std::mutex mutex;
    std::condition_variable fewer;
    std::size_t count = 0;
  };
  const std::shared_ptr<State> state_;
};

}  // namespace quarry::runner
