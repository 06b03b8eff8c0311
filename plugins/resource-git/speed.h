#pragma once

#include <quarry/host.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace quarry::resource_git {

/// The minimum average speed of a transfer in each window. Over HTTP git enforces it itself.
struct MinimumSpeed {
  std::uint64_t bytes_per_second = 1000;
  std::chrono::milliseconds window{30'000};
};

/// The description of a transfer below the minimum speed.
constexpr const char* kTooSlow = "slower than 1 kB/s for 30 s";

/// A call that also ends when a transfer is below its minimum speed. Must outlive its users. One
/// thread at a time.
class WatchedCall {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Without a minimum speed it ends when `call` does.
  WatchedCall(const Host& host, const Call& call, std::optional<MinimumSpeed> minimum_speed);
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  [[nodiscard]] const Call& call() const { return opened_.call(); }

  /// Sets the total of bytes received.
  void set_received(std::uint64_t bytes) { received_ = bytes; }
  /// Marks the transfer as complete; only local work remains.
  void end_transfer() { minimum_.reset(); }
  [[nodiscard]] bool too_slow() const { return too_slow_; }
  /// Checks the window that ends at `now`, if one does.
  bool look(Time now);

 private:
  static quarry_status state(void* self);

  std::optional<MinimumSpeed> minimum_;
  Time window_end_;
  std::uint64_t received_ = 0;
  std::uint64_t received_before_ = 0;  ///< when the window began
  bool too_slow_ = false;
  OpenedCall opened_;
};

}  // namespace quarry::resource_git
