#pragma once

#include "base/clock.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::resources {

/// Pauses between attempts to reach an unreachable source. Without them each question about a
/// source that hangs would wait for the same timeout. Thread-safe.
class BackOff {
 public:
  using Duration = Clock::Steady::duration;
  static constexpr Duration kShortest = std::chrono::seconds(10);
  static constexpr Duration kLongest = std::chrono::minutes(10);

  /// Records a failed attempt that took `took`. The next pause is at least that long and doubles
  /// with each consecutive failure.
  void failed(std::string why, Duration took, Clock::Steady now);
  /// Records a response of the source, including a refusal.
  void answered();

  struct Pause {
    std::string why;  ///< the last failure
    std::chrono::seconds left;
  };
  /// The current pause; empty if the source may be contacted.
  [[nodiscard]] std::optional<Pause> pause(Clock::Steady now) const;

 private:
  mutable std::mutex mutex_;
  Duration length_{0};  // of the last pause; 0 = the source responded
  Clock::Steady until_;
  std::string why_;
};

}  // namespace quarry::resources
