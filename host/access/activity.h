#pragma once

#include "access/request_rate.h"
#include "base/clock.h"
#include "plugins/store.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::access {

/// The number of the minute that `at` lies in, since 1970 UTC, and how far it is into it.
struct Minute {
  std::int64_t number;
  std::chrono::milliseconds into;
};
Minute minute_of(Clock::Wall at);

/// Requests and streams by token: those of this host as they happen, those of all hosts as of the
/// last exchange. One thread at a time.
class Activity {
 public:
  void count_request(std::string_view token, std::int64_t minute);
  [[nodiscard]] MinuteCounts requests(std::string_view token, std::int64_t minute) const;

  void begin_stream(std::string_view token);
  void end_stream(std::string_view token);
  /// On all hosts.
  [[nodiscard]] std::uint32_t streams(std::string_view token) const;
  /// The tokens with streams on this host.
  [[nodiscard]] std::vector<std::string> streaming() const;

  /// What to tell the others. What it counts stays counted here until absorb(); after a failed
  /// exchange the next one tells it again.
  [[nodiscard]] plugins::HostActivity to_tell(std::string_view host, Clock::Wall at) const;
  /// `told` reached the others, who answered `shared`.
  void absorb(const plugins::HostActivity& told, const plugins::SharedActivity& shared);

 private:
  using Minutes = std::map<std::int64_t, std::uint32_t>;
  std::map<std::string, Minutes, std::less<>> untold_;  ///< requests of this host
  std::map<std::string, Minutes, std::less<>> told_;    ///< requests of all hosts
  std::map<std::string, std::uint32_t, std::less<>> streams_;
  std::map<std::string, std::uint32_t, std::less<>> streams_elsewhere_;
};

}  // namespace quarry::access
