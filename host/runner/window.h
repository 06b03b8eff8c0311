#pragma once

#include "runner/protocol.h"

#include <quarry/abi.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace quarry::runner {

/// Bytes that the sender of a stream may send until the receiver has consumed more. [any thread]
class Window {
 public:
  /// Takes `bytes`, waiting while nothing is left. Not QUARRY_OK once the receiver wants no more,
  /// or if `state()`, asked every 20 ms, is not while it waits.
  template <class State>
  quarry_status take(std::size_t bytes, State state) {
    constexpr std::chrono::milliseconds kPoll{20};
    std::unique_lock lock(mutex_);
    while (left_ <= 0 && status_ == QUARRY_OK) {
      changed_.wait_for(lock, kPoll);
      if (left_ > 0 || status_ != QUARRY_OK) break;
      if (const quarry_status over = state(); over != QUARRY_OK) return over;
    }
    left_ -= static_cast<std::int64_t>(bytes);
    return status_;
  }
  /// True if take() would not wait.
  [[nodiscard]] bool open() const {
    const std::lock_guard lock(mutex_);
    return left_ > 0;
  }
  /// The receiver has consumed `bytes`; a status other than QUARRY_OK ends the stream.
  void give(std::uint32_t bytes, quarry_status status) {
    const std::lock_guard lock(mutex_);
    left_ += bytes;
    if (status_ == QUARRY_OK) status_ = status;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t left_ = kWindow;
  quarry_status status_ = QUARRY_OK;
};

}  // namespace quarry::runner
