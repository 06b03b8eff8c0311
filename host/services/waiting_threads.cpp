#include "services/waiting_threads.h"

namespace quarry::services {

bool WaitingThreads::wait(std::unique_lock<std::mutex>& lock,
                          std::optional<std::chrono::milliseconds> time) {
  Waiting self;
  waiting_.push_back(&self);
  const auto woken = [&] { return self.woken; };
  if (!time) {
    self.wake.wait(lock, woken);
  } else if (!self.wake.wait_for(lock, *time, woken)) {
    std::erase(waiting_, &self);
  }
  return self.woken;
}

bool WaitingThreads::wake_one() {
  if (waiting_.empty()) return false;
  Waiting& last = *waiting_.back();
  waiting_.pop_back();
  last.woken = true;
  last.wake.notify_one();  // under the mutex: `last` lives until its thread has it again
  return true;
}

void WaitingThreads::wake_all() {
  while (wake_one()) continue;
}

}  // namespace quarry::services
