#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace quarry::runner {

/// Bounds what a runner writes to the log and to standard error: kMost bytes at once, and
/// kPerSecond for each second that passes. [any thread]
class LogBudget {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::uint64_t kMost = 1u << 20;
  static constexpr std::uint64_t kPerSecond = 16u << 10;

  /// True if `bytes` may be written.
  bool take(std::size_t bytes, Steady::time_point now = Steady::now()) {
    const std::lock_guard lock(mutex_);
    // Another thread may have read the clock later, and taken some first.
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(now - filled_, Steady::duration::zero()));
    const auto earned = static_cast<std::uint64_t>(passed.count()) * kPerSecond / 1'000;
    if (earned > 0) {
      left_ = std::min(kMost, left_ + earned);
      filled_ = now;
    }
    if (bytes > left_) {
      refused_ += bytes;
      return false;
    }
    left_ -= bytes;
    return true;
  }
  /// Bytes that were refused since the last call.
  std::uint64_t take_refused() {
    const std::lock_guard lock(mutex_);
    return std::exchange(refused_, 0);
  }

 private:
  std::mutex mutex_;
  std::uint64_t left_ = kMost;
  Steady::time_point filled_ = Steady::now();
  std::uint64_t refused_ = 0;
};

}  // namespace quarry::runner
