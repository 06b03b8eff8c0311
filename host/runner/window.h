#pragma once

#include "runner/protocol.h"

#include <quarry/abi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace quarry::runner {

/// Bytes that the sender of a stream may send until the receiver has consumed more. [any thread]
class Window {
 public:
  /// Takes `bytes`, waiting while nothing is left: one of several threads that wait exceeds what is
  /// left, and the others wait for more. Not QUARRY_OK once the receiver wants no more, or if
  /// `state()`, asked every 20 ms, is not while it waits.
  template <class State>
  quarry_status take(std::size_t bytes, State state) {
    for (;;) {
      if (const auto status = wait(state); status != QUARRY_OK) return status;
      auto taken = taken_.load(std::memory_order_relaxed);
      if (taken >= given_) continue;  // by another thread
      if (taken_.compare_exchange_weak(taken, taken + static_cast<std::int64_t>(bytes)))
        return QUARRY_OK;
    }
  }
  /// Waits like take(), and takes nothing.
  template <class State>
  quarry_status wait(State state) {
    if (open()) return status_;
    constexpr std::chrono::milliseconds kPoll{20};
    std::unique_lock lock(mutex_);
    while (!open() && status_ == QUARRY_OK) {
      changed_.wait_for(lock, kPoll);
      if (open() || status_ != QUARRY_OK) break;
      if (const quarry_status over = state(); over != QUARRY_OK) return over;
    }
    return status_;
  }
  /// Takes without waiting what is sent after wait().
  void charge(std::size_t bytes) { taken_ += static_cast<std::int64_t>(bytes); }
  /// True if wait() would not wait.
  [[nodiscard]] bool open() const { return taken_.load(std::memory_order_relaxed) < given_; }
  /// The receiver has consumed `bytes`; a status other than QUARRY_OK ends the stream.
  void give(std::uint32_t bytes, quarry_status status) {
    const std::lock_guard lock(mutex_);
    given_ += bytes;
    if (status_ == QUARRY_OK) status_ = status;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<std::int64_t> given_ = kWindow;
  std::atomic<std::int64_t> taken_ = 0;
  std::atomic<quarry_status> status_ = QUARRY_OK;
};

}  // namespace quarry::runner
