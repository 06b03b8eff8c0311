#include "resource-git/speed.h"

namespace quarry::resource_git {

WatchedCall::WatchedCall(const Call& call, std::optional<MinimumSpeed> minimum_speed)
    : outer_(call.get()), minimum_(minimum_speed) {
  if (minimum_) window_end_ = std::chrono::steady_clock::now() + minimum_->window;
  table_.struct_size = sizeof table_;
  table_.context = this;
  table_.state = [](const quarry_call* self) -> quarry_status {
    // The process service checks on the thread that lent it the call.
    auto& mine = *static_cast<WatchedCall*>(self->context);
    const quarry_status outer = mine.outer_->state(mine.outer_);
    if (outer != QUARRY_OK) return outer;
    return mine.look(std::chrono::steady_clock::now()) ? QUARRY_DEADLINE_EXCEEDED : QUARRY_OK;
  };
  table_.remaining_ms = [](const quarry_call* self) -> std::int64_t {
    const auto& mine = *static_cast<const WatchedCall*>(self->context);
    return mine.outer_->remaining_ms(mine.outer_);
  };
  table_.progress = [](const quarry_call* self, quarry_text json) {
    const auto& mine = *static_cast<const WatchedCall*>(self->context);
    mine.outer_->progress(mine.outer_, json);
  };
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
