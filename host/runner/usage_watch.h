#pragma once

#include "runner/own_places.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace quarry::runner {

/// What a runner may use beside the limits that the kernel keeps.
struct UsageLimits {
  /// Processor time while no call runs; and a tenth of the time that passes.
  std::chrono::seconds processor{30};
  /// Bytes in the plugin's cache and data directories, and of files that have lost their names.
  std::uint64_t disk = 10ull << 30;
};

/// Readings of a runner; replaced in tests.
struct UsageReadings {
  std::function<std::chrono::nanoseconds()> processor;  ///< time of all its threads since its start
  std::function<std::uint64_t()> written;               ///< bytes, of which the disk has a part
  /// Bytes that it holds on the disk; nothing if they cannot be measured. Takes long.
  std::function<std::optional<std::uint64_t>()> disk;
};
/// Those of a child process.
UsageReadings readings_of(pid_t process, const OwnPlaces& places);

/// Finds a runner that uses more than it may. One thread at a time.
class UsageWatch {
 public:
  using Steady = std::chrono::steady_clock;
  /// Longest time between two checks.
  static constexpr std::chrono::seconds kLongest{32};

  UsageWatch(UsageLimits limits, UsageReadings readings);
  /// A predicate if it has used too much. `calls`: number of all that were begun; `running`: one of
  /// them has not ended.
  std::optional<std::string> check(std::uint64_t calls, bool running, Steady::time_point now);
  /// Time until the next check: one second while there are calls, longer afterwards.
  [[nodiscard]] std::chrono::milliseconds next() const { return next_; }

 private:
  std::optional<std::string> check_processor(Steady::time_point now);
  std::optional<std::string> check_disk();

  const UsageLimits limits_;
  const UsageReadings readings_;
  std::chrono::milliseconds next_{1'000};
  std::uint64_t calls_ = 0;                 // at the last check
  std::optional<Steady::time_point> idle_;  // since then no call has run
  std::chrono::nanoseconds processor_{0};   // at that time
  std::uint64_t written_ = 0;               // when the disk was read last
};

}  // namespace quarry::runner
