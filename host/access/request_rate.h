#pragma once

#include <chrono>
#include <cstdint>

namespace quarry::access {

/// Requests of one token in the minute that runs and the one before.
struct MinuteCounts {
  std::uint32_t before = 0;
  std::uint32_t now = 0;
};

/// Whether another request is within the limit, and what the caller is told of it.
struct RateVerdict {
  bool within = true;
  std::uint32_t remaining = 0;              ///< behind the request, if it is within
  std::chrono::milliseconds reset{};        ///< until the minute ends
  std::chrono::milliseconds retry_after{};  ///< when it is not within: until one would be
};

/// A sliding window: the minute before counts as much as of it still lies within sixty seconds.
/// `into_minute` is the time since the minute began. `limit` is at least 1.
RateVerdict judge_rate(MinuteCounts counts, std::uint32_t limit,
                       std::chrono::milliseconds into_minute);

}  // namespace quarry::access
