#include "services/call.h"

#include <algorithm>
#include <thread>

namespace quarry::services {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Code Call::outcome() const {
  if (stop.stop_requested()) return Code::kCancelled;
  const Code outer = state ? state() : Code::kOk;
  if (outer == Code::kCancelled) return outer;
  const bool late = deadline && steady_clock::now() >= *deadline;
  return late || outer != Code::kOk ? Code::kDeadlineExceeded : Code::kOk;
}

Status Call::check() const {
  const Code code = outcome();
  if (code == Code::kOk) return {};
  return Error{code,
               code == Code::kCancelled ? "cancelled" : "the time limit of the call has passed"};
}

milliseconds Call::max_wait() const {
  constexpr milliseconds kLongest{20};
  if (!deadline) return kLongest;
  const auto left = std::chrono::ceil<milliseconds>(*deadline - steady_clock::now());
  return std::clamp(left, milliseconds{0}, kLongest);
}

Status sleep(const Call& call, std::chrono::nanoseconds duration) {
  const auto end = steady_clock::now() + duration;
  for (;;) {
    if (auto over = call.check(); !over) return over;
    const auto now = steady_clock::now();
    if (now >= end) return {};
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(call.max_wait(), end - now));
  }
}

}  // namespace quarry::services
