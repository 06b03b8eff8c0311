#pragma once

#include <chrono>
#include <cstdint>

namespace quarry::access {

/// Requests of one token in the current minute and the one before.
struct MinuteCounts {
  std::uint32_t before = 0;
  std::uint32_t now = 0;
};

/// Decision about one more request, with the data for the caller's rate limit headers.
struct RateVerdict {
  bool within = true;
  std::uint32_t remaining = 0;              ///< after this request, if it is within the limit
  std::chrono::milliseconds reset{};        ///< until the minute ends
  std::chrono::milliseconds retry_after{};  ///< otherwise: until a request is within the limit
};

/// A sliding window: the minute before counts by the part of it within the last sixty seconds.
/// `into_minute` is the time since the minute began. `limit` is at least 1.
RateVerdict judge_rate(MinuteCounts counts, std::uint32_t limit,
                       std::chrono::milliseconds into_minute);

}  // namespace quarry::access
