#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace quarry::services {

/// Minimum speed of a transfer; a slower one is aborted.
struct MinimumSpeed {
  std::uint64_t bytes_per_second = 0;        ///< 0 = no minimum
  std::chrono::milliseconds window{30'000};  ///< period over which the average is taken
};

/// Minimum for sources, because each fetch occupies a thread.
constexpr MinimumSpeed kMinimumFetchSpeed{1000};

/// Checks the speed of a transfer in consecutive windows. Not thread-safe.
class SpeedWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit SpeedWatch(const MinimumSpeed& minimum_speed) : minimum_(minimum_speed) {}
  /// Starts a window; earlier bytes no longer count.
  void begin(Time now);
  void add(std::uint64_t bytes) { bytes_ += bytes; }
  /// End of the window; Time::max() before begin() and without a minimum.
  [[nodiscard]] Time due() const { return due_; }
  /// True if the window has ended with too few bytes; otherwise starts the next window once this
  /// one has ended.
  bool is_too_slow(Time now);
  /// "slower than 1 kB/s for 30 s"
  [[nodiscard]] std::string text() const;

 private:
  MinimumSpeed minimum_;
  Time due_ = Time::max();
  std::uint64_t bytes_ = 0;  ///< since the window began
};

}  // namespace quarry::services
