#include "engine/calls.h"

#include <utility>

namespace quarry::engine {

std::uint64_t Calls::run(Body body, Reply reply) {
  std::uint64_t handle = 0;
  std::stop_token stop;
  {
    std::lock_guard lock(mutex_);
    handle = ++last_;
    if (!closed_) stop = running_[handle].get_token();
  }
  if (!stop.stop_possible()) {
    reply(Error{Code::kUnavailable, "the engine is shutting down"}.tagged("Unavailable"));
    return handle;
  }
  workers_.submit([this, handle, stop, body = std::move(body), reply = std::move(reply)] {
    reply(stop.stop_requested() ? Error{Code::kCancelled, "the call was cancelled"} : body(stop));
    finish(handle);
  });
  return handle;
}

std::uint64_t Calls::answered() {
  std::lock_guard lock(mutex_);
  return ++last_;
}

void Calls::cancel(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = running_.find(handle);
  if (found != running_.end()) found->second.request_stop();
}

void Calls::finish(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  running_.erase(handle);
  if (running_.empty()) idle_.notify_all();
}

void Calls::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  for (auto& [handle, stop] : running_) stop.request_stop();
  idle_.wait(lock, [&] { return running_.empty(); });
}

}  // namespace quarry::engine
