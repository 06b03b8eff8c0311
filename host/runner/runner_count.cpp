#include "runner/runner_count.h"

#include <chrono>

namespace quarry::runner {
namespace {

/// Interval at which the state of a call that waits is checked.
constexpr std::chrono::milliseconds kWait{20};

}  // namespace

RunnerCount::Held RunnerCount::take(const quarry_call* call, const std::function<void()>& end_one) {
  std::unique_lock lock(state_->mutex);
  while (state_->count >= state_->most) {
    if (call != nullptr && call->state(call) != QUARRY_OK) return nullptr;
    lock.unlock();
    if (end_one) end_one();
    lock.lock();
    if (state_->count >= state_->most) state_->fewer.wait_for(lock, kWait);
  }
  ++state_->count;
  return Held(state_.get(), [state = state_](void*) {
    const std::lock_guard again(state->mutex);
    --state->count;
    state->fewer.notify_one();
  });
}

}  // namespace quarry::runner
