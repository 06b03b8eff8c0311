#include "plugins/call_share.h"

#include "plugins/compose.h"
#include "services/workers.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace quarry::plugins {

std::string busy_plugin(const std::string& id) {
  return compose("plugin {} is not called while another call of it has not returned", id);
}

Result<Turn::Held> Turn::take(const services::Call& call) {
  std::unique_lock lock(state_->mutex);
  std::optional<services::BlockedWorker> blocked;
  while (state_->taken) {
    if (auto over = call.check(); !over) return over.error();
    if (!blocked) blocked.emplace();
    state_->free.wait_for(lock, std::max(call.max_wait(), std::chrono::milliseconds(1)));
  }
  state_->taken = true;
  return Held(state_.get(), [state = state_](void*) {
    const std::lock_guard again(state->mutex);
    state->taken = false;
    state->free.notify_one();
  });
}

Result<std::shared_ptr<void>> WorkerShare::take(Steady::time_point now) {
  if (!services::BlockedWorker::can_be()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (begun_.size() >= kMostLong && now - *std::next(begun_.begin(), kMostLong - 1) >= kLong) {
    return Error(Code::kResourceExhausted,
                 compose("{} of its calls have run for more than {} s", kMostLong, kLong.count()));
  }
  const auto mine = begun_.insert(begun_.end(), now);
  return std::shared_ptr<void>(this, [mine](WorkerShare* share) {
    const std::lock_guard again(share->mutex_);
    share->begun_.erase(mine);
  });
}

}  // namespace quarry::plugins
