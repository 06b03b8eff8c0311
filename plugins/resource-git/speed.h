#pragma once

#include <quarry/host.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace quarry::resource_git {

/// The least speed of a transfer, on average over each window. git keeps to it itself over HTTP.
struct MinimumSpeed {
  std::uint64_t bytes_per_second = 1000;
  std::chrono::milliseconds window{30'000};
};

/// What a transfer below the minimum_speed is said to be.
constexpr const char* kTooSlow = "slower than 1 kB/s for 30 s";

/// A call that is also over once a transfer is below its minimum_speed. Must outlive what it is
/// lent to. One thread at a time.
class WatchedCall {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Without a minimum_speed it is over when `call` is.
  WatchedCall(const Call& call, std::optional<MinimumSpeed> minimum_speed);
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  [[nodiscard]] Call call() const { return Call(&table_); }

  /// So many bytes came in all.
  void set_received(std::uint64_t bytes) { received_ = bytes; }
  /// Nothing more comes: the rest is this machine's work.
  void end_transfer() { minimum_.reset(); }
  [[nodiscard]] bool too_slow() const { return too_slow_; }
  /// Looks at the window that ends at `now`, if one does.
  bool look(Time now);

 private:
  const quarry_call* outer_;
  std::optional<MinimumSpeed> minimum_;
  Time window_end_;
  std::uint64_t received_ = 0;
  std::uint64_t received_before_ = 0;  ///< when the window began
  bool too_slow_ = false;
  quarry_call table_;
};

}  // namespace quarry::resource_git
