#include "resource-git/speed.h"

namespace quarry::resource_git {

WatchedCall::WatchedCall(const Host& host, const Call& call,
                         std::optional<MinimumSpeed> minimum_speed)
    : minimum_(minimum_speed), opened_(host, &call, OpenedCall::kNoLimit, state, this) {
  if (minimum_) window_end_ = std::chrono::steady_clock::now() + minimum_->window;
}

quarry_status WatchedCall::state(void* self) {
  // The process service checks on the thread that lent it the call.
  const bool slow = static_cast<WatchedCall*>(self)->look(std::chrono::steady_clock::now());
  return slow ? QUARRY_DEADLINE_EXCEEDED : QUARRY_OK;
}

bool WatchedCall::look(Time now) {
  if (too_slow_ || !minimum_ || now < window_end_) return too_slow_;
  const auto window = static_cast<std::uint64_t>(minimum_->window.count());
  too_slow_ = (received_ - received_before_) * 1000 < minimum_->bytes_per_second * window;
  received_before_ = received_;
  window_end_ = now + minimum_->window;
  return too_slow_;
}

}  // namespace quarry::resource_git
