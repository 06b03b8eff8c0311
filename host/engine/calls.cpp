#include "engine/calls.h"

#include <utility>

namespace quarry::engine {

std::uint64_t Calls::run(Body body, Reply reply) {
  return begin([body = std::move(body)](const std::stop_token& stop,
                                        const Reply& finish) { finish(body(stop)); },
               std::move(reply));
}

std::uint64_t Calls::begin(Start start, Reply reply) {
  std::uint64_t handle = 0;
  std::stop_token stop;
  bool closed = false;
  {
    std::lock_guard lock(mutex_);
    handle = ++last_;
    closed = closed_;
    if (!closed && waiting_ < kMostWaiting) {
      stop = running_[handle].get_token();
      ++waiting_;
    }
  }
  if (!stop.stop_possible()) {
    reply(closed ? Error{Code::kUnavailable, "the engine is shutting down"}.tagged("Unavailable")
                 : Error{Code::kResourceExhausted, "too many calls are waiting", "Try again soon."}
                       .tagged("RateLimitError"));
    return handle;
  }
  Reply finish_call = [this, handle, reply = std::move(reply)](Result<std::string> result) {
    reply(std::move(result));
    finish(handle);
  };
  workers_.submit([this, stop, start = std::move(start), finish_call = std::move(finish_call)] {
    begun();
    if (stop.stop_requested()) {
      return finish_call(Error{Code::kCancelled, "the call was cancelled"});
    }
    start(stop, finish_call);
  });
  return handle;
}

std::uint64_t Calls::answered() {
  std::lock_guard lock(mutex_);
  return ++last_;
}

void Calls::cancel(std::uint64_t handle) {
  std::stop_source stop(std::nostopstate);
  {
    std::lock_guard lock(mutex_);
    const auto found = running_.find(handle);
    if (found != running_.end()) stop = found->second;
  }
  stop.request_stop();  // a stop callback may reply at once, and finish the call
}

void Calls::begun() {
  std::lock_guard lock(mutex_);
  --waiting_;
}

void Calls::finish(std::uint64_t handle) {
  std::lock_guard lock(mutex_);
  running_.erase(handle);
  if (running_.empty()) idle_.notify_all();
}

void Calls::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  auto running = running_;
  lock.unlock();
  for (auto& [handle, stop] : running) stop.request_stop();
  lock.lock();
  idle_.wait(lock, [&] { return running_.empty(); });
}

}  // namespace quarry::engine
