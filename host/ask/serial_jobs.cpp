#include "ask/serial_jobs.h"

#include <utility>

namespace quarry::ask {

void SerialJobs::add(std::shared_ptr<void> owner, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (std::exchange(draining_, true)) return;
  }
  workers_.submit([this, owner = std::move(owner)] { drain(); });
}

void SerialJobs::drain() {
  std::unique_lock lock(mutex_);
  while (!jobs_.empty()) {
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
  draining_ = false;
}

}  // namespace quarry::ask
