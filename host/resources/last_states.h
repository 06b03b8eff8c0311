#pragma once

#include "base/clock.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace quarry::resources {

/// The last good states of the sources in use: of each source that answered here within the last
/// hour, the snapshot it answered with last. What is fetched for another source must not cost them.
/// A reference that was asked once is forgotten after the hour. Thread-safe.
class LastStates {
 public:
  static constexpr Clock::Steady::duration kInUse = std::chrono::hours(1);
  /// Of more sources, those that answered longest ago are forgotten.
  static constexpr std::size_t kMost = 4096;

  /// `key` tells the source, `name` is that of the snapshot.
  void note(const std::string& key, const std::string& name, Clock::Steady now);
  /// The names of all.
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
