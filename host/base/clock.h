#pragma once

#include <chrono>

namespace quarry {

/// Time source of the host. Tests replace it; no behaviour depends on any other clock.
class Clock {
 public:
  using Wall = std::chrono::system_clock::time_point;
  using Steady = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  /// Wall-clock time, for what people read. [any thread]
  [[nodiscard]] virtual Wall now() const = 0;
  /// Monotonic time, for durations and deadlines. [any thread]
  [[nodiscard]] virtual Steady steady_now() const = 0;
};

/// The machine's clock.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Wall now() const override { return std::chrono::system_clock::now(); }
  [[nodiscard]] Steady steady_now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace quarry
