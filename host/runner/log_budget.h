#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace quarry::runner {

/// Bounds what a runner writes to the log and to standard error: `most` bytes at once, and
/// `per_second` for each second that passes. Likewise the secrets that it hides. [any thread]
class LogBudget {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr std::uint64_t kMost = 1u << 20;
  static constexpr std::uint64_t kPerSecond = 16u << 10;

  explicit LogBudget(std::uint64_t most = kMost, std::uint64_t per_second = kPerSecond)
      : most_(most), per_second_(per_second), left_(most) {}

  /// True if `bytes` may be written.
  bool take(std::size_t bytes, Steady::time_point now = Steady::now()) {
    const std::lock_guard lock(mutex_);
    // Another thread may have read the clock later, and taken some first.
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(now - filled_, Steady::duration::zero()));
    const auto earned = static_cast<std::uint64_t>(passed.count()) * per_second_ / 1'000;
    if (earned > 0) {
      left_ = std::min(most_, left_ + earned);
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
  const std::uint64_t most_;
  const std::uint64_t per_second_;
  std::mutex mutex_;
  std::uint64_t left_;
  Steady::time_point filled_ = Steady::now();
  std::uint64_t refused_ = 0;
};

}  // namespace quarry::runner
