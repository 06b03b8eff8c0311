#include "access/request_rate.h"

#include <algorithm>

namespace quarry::access {
namespace {

constexpr std::int64_t kMinute = 60'000;  // ms

/// Milliseconds into a minute after which another request is within `limit`, given `before`
/// requests in the minute before and `now` in this one; the whole minute if `now` reaches it alone.
std::int64_t allowed_at(std::int64_t before, std::int64_t now, std::int64_t limit) {
  const std::int64_t left = limit - 1 - now;
  if (left < 0) return kMinute;
  if (before <= left) return 0;
  return kMinute - left * kMinute / before;
}

}  // namespace

RateVerdict judge_rate(MinuteCounts counts, std::uint32_t limit,
                       std::chrono::milliseconds into_minute) {
  const std::int64_t into = std::clamp<std::int64_t>(into_minute.count(), 0, kMinute - 1);
  const std::int64_t left_of_before =
      (std::int64_t{counts.before} * (kMinute - into) + kMinute - 1) / kMinute;
  const std::int64_t used = left_of_before + counts.now;
  RateVerdict verdict;
  verdict.reset = std::chrono::milliseconds(kMinute - into);
  verdict.within = used + 1 <= limit;
  if (verdict.within) {
    verdict.remaining = static_cast<std::uint32_t>(limit - used - 1);
    return verdict;
  }
  const std::int64_t at = allowed_at(counts.before, counts.now, limit);
  const std::int64_t wait =
      at < kMinute ? at - into : kMinute - into + allowed_at(counts.now, 0, limit);
  verdict.retry_after = std::chrono::milliseconds(std::max<std::int64_t>(wait, 1));
  return verdict;
}

}  // namespace quarry::access
