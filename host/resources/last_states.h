#pragma once

#include "base/clock.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace quarry::resources {

/// Last good states of the sources in use: for each source used by this process within the last
/// hour, its last snapshot. Fetches for other sources must not evict them. A source used once is
/// forgotten after the hour. Thread-safe.
class LastStates {
 public:
  static constexpr Clock::Steady::duration kInUse = std::chrono::hours(1);
  /// Beyond this number, the least recently used sources are forgotten.
  static constexpr std::size_t kMost = 4096;

  /// `key` identifies the source, `name` its snapshot.
  void note(const std::string& key, const std::string& name, Clock::Steady now);
  /// Names of all these snapshots.
  [[nodiscard]] std::set<std::string> names(Clock::Steady now) const;

 private:
  struct State {
    std::string name;
    Clock::Steady answered_at;
  };
  mutable std::mutex mutex_;
  std::map<std::string, State> states_;
};

}  // namespace quarry::resources
