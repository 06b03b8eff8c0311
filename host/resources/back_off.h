#pragma once

#include "base/clock.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::resources {

/// When a source that could not be reached is asked again. Without it each question about a source
/// that hangs would wait for the same time-out. Thread-safe.
class BackOff {
 public:
  using Duration = Clock::Steady::duration;
  static constexpr Duration kShortest = std::chrono::seconds(10);
  static constexpr Duration kLongest = std::chrono::minutes(10);

  /// The source could not be reached, which took so long to find out. The pause that follows is at
  /// least as long as that, and doubles with each failure in a row.
  void failed(std::string why, Duration took, Clock::Steady now);
  /// The source has answered, whatever it said.
  void answered();

  struct Pause {
    std::string why;  ///< the last failure
    std::chrono::seconds left;
  };
  /// The pause that is on; nothing when the source may be asked.
  [[nodiscard]] std::optional<Pause> pause(Clock::Steady now) const;

 private:
  mutable std::mutex mutex_;
  Duration length_{0};  // of the last pause; 0 = the source answered
  Clock::Steady until_;
  std::string why_;
};

}  // namespace quarry::resources
