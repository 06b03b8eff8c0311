#include "services/job_limit.h"

#include <utility>

namespace quarry::services {

void JobLimit::submit(Executor& executor, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  start_some(executor);
}

void JobLimit::start_some(Executor& executor) {
  std::unique_lock lock(mutex_);
  while (running_ < most_ && !waiting_.empty()) {
    auto job = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    executor.submit([self = shared_from_this(), &executor, job = std::move(job)] {
      job();
      {
        const std::lock_guard ended(self->mutex_);
        --self->running_;
      }
      self->start_some(executor);
    });
    lock.lock();
  }
}

}  // namespace quarry::services
