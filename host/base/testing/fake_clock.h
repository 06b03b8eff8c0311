#pragma once

#include "base/clock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace quarry {

/// A clock that advances only when a test advances it. Starts at 2025-01-01T00:00:00Z. [any thread]
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Wall now() const override {
    return Wall{std::chrono::seconds{1'735'689'600}} +
           std::chrono::duration_cast<Wall::duration>(elapsed());
  }
  [[nodiscard]] Steady steady_now() const override {
    if (on_steady_now) on_steady_now();
    return Steady{std::chrono::hours{1}} + elapsed();
  }
  void advance(std::chrono::nanoseconds by) { elapsed_ += by.count(); }

  std::function<void()> on_steady_now;  ///< called before each reading if set; may throw

 private:
  [[nodiscard]] std::chrono::nanoseconds elapsed() const {
    return std::chrono::nanoseconds{elapsed_.load()};
  }
  std::atomic<std::int64_t> elapsed_ = 0;
};

}  // namespace quarry
