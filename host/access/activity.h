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

/// A point in time as the number of its minute since 1970 UTC, and the time since the minute began.
struct Minute {
  std::int64_t number;
  std::chrono::milliseconds into;
};
Minute minute_of(Clock::Wall at);

/// Requests and streams by token: of this host as they happen, of all hosts as of the last
/// exchange. One thread at a time.
class Activity {
 public:
  void count_request(std::string_view token, std::int64_t minute);
  [[nodiscard]] MinuteCounts requests(std::string_view token, std::int64_t minute) const;

  void begin_stream(std::string_view token);
  void end_stream(std::string_view token);
  /// Number of streams on all hosts.
  [[nodiscard]] std::uint32_t streams(std::string_view token) const;
  /// The tokens with streams on this host.
  [[nodiscard]] std::vector<std::string> streaming() const;
  [[nodiscard]] bool is_streaming(std::string_view token) const { return streams_.contains(token); }

  /// Activity to publish to the other hosts. Its counts remain here until absorb(); after a failed
  /// exchange the next one publishes them again.
  [[nodiscard]] plugins::HostActivity to_publish(std::string_view host, Clock::Wall at) const;
  /// Applies a successful exchange of `published` for `shared`.
  void absorb(const plugins::HostActivity& published, const plugins::SharedActivity& shared);

 private:
  using Minutes = std::map<std::int64_t, std::uint32_t>;
  std::map<std::string, Minutes, std::less<>> unpublished_;  ///< requests of this host
  std::map<std::string, Minutes, std::less<>> published_;    ///< requests of all hosts
  std::map<std::string, std::uint32_t, std::less<>> streams_;
  std::map<std::string, std::uint32_t, std::less<>> streams_elsewhere_;
};

}  // namespace quarry::access
