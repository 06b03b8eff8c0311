#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace quarry::services {

/// The least speed of a transfer that is not given up.
struct MinimumSpeed {
  std::uint64_t bytes_per_second = 0;        ///< 0 = any speed will do
  std::chrono::milliseconds window{30'000};  ///< in each of which the average must reach it
};

/// What a source must reach, since each fetch from it holds a thread.
constexpr MinimumSpeed kFetchFloor{1000};

/// Looks whether a transfer keeps to its minimum_speed, one window after the other. Not
/// thread-safe.
class SpeedWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit SpeedWatch(const MinimumSpeed& minimum_speed) : minimum_(minimum_speed) {}
  /// A window begins now; what came before counts no more.
  void begin(Time now);
  void add(std::uint64_t bytes) { bytes_ += bytes; }
  /// When the window ends; Time::max() before begin() and without a minimum_speed.
  [[nodiscard]] Time due() const { return due_; }
  /// Whether the window has ended and too little came in it. Begins the next one otherwise.
  bool is_too_slow(Time now);
  /// "slower than 1 kB/s for 30 s"
  [[nodiscard]] std::string text() const;

 private:
  MinimumSpeed minimum_;
  Time due_ = Time::max();
  std::uint64_t bytes_ = 0;  ///< since the window began
};

}  // namespace quarry::services
