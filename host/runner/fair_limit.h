#pragma once

#include "runner/processor_meter.h"

#include <chrono>
#include <functional>
#include <optional>

namespace quarry::runner {

/// A time limit of a runner that the load of the machine does not use up. The limit is extended by
/// the time for which threads of the runner were ready to run and others had the processors, and
/// for which the host itself did not look; by kMost at most. A function that sleeps is therefore
/// over at its limit, one that computes after that much processor time, and every function by kMost
/// later. Without processor times (see ProcessorMeter) only the host's own delays extend it.
///
/// It begins with the first has_passed(), not before: most calls have ended by then, and reading
/// the times of the threads takes longer than a call. Of the thread that waits for the runner.
class FairLimit {
 public:
  using Steady = std::chrono::steady_clock;
  using ReadTimes = std::function<ProcessorTimes()>;
  /// Longest extension.
  static constexpr std::chrono::seconds kMost{30};

  struct Conditions {
    /// Longest time between two has_passed() of a host that is not kept waiting itself.
    std::chrono::milliseconds interval{20};
    ReadTimes times = {};     ///< of the runner; empty = zeros
    unsigned processors = 0;  ///< of the machine; 0 = as many as this process may use
  };
  FairLimit(std::chrono::milliseconds limit, Conditions conditions);

  /// Begins now. Again, if it has begun already.
  void begin(Steady::time_point now);
  /// True once the limit with its extension has passed. Begins at the first call.
  [[nodiscard]] bool has_passed(Steady::time_point now);
  [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }

 private:
  [[nodiscard]] ProcessorTimes times() const;
  void extend(Steady::time_point now);

  const std::chrono::milliseconds limit_;
  const Conditions conditions_;
  std::optional<Steady::time_point> begun_;
  Steady::time_point seen_;            // the last time
  std::chrono::nanoseconds unseen_{};  // sum of the host's delays that has not extended it yet
  ProcessorTimes at_begin_;
  std::chrono::nanoseconds waited_{};  // of the runner, that has extended it
  std::chrono::nanoseconds extension_{};
};

}  // namespace quarry::runner
