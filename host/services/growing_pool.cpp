#include "services/growing_pool.h"

#include "services/thread_setup.h"

#include <system_error>
#include <utility>

namespace quarry::services {

GrowingPool::GrowingPool(std::string name, std::size_t most, std::chrono::milliseconds idle)
    : name_(std::move(name)), most_(most), idle_time_(idle) {}

GrowingPool::~GrowingPool() {
  shutdown();
}

void GrowingPool::submit(std::function<void()> job) {
  Threads ended;
  std::function<void()> dropped;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
    if (stopping_) return;
    jobs_.push_back(std::move(job));
    const bool served = idle_.wake_one() || threads_.size() >= most_ || start_thread();
    if (!served && threads_.empty()) {
      dropped = std::move(jobs_.back());
      jobs_.pop_back();
    }
  }
  for (std::thread& thread : ended) thread.join();
}

/// Requires the mutex. False if the system cannot create a thread.
bool GrowingPool::start_thread() {
  const auto self = threads_.emplace(threads_.end());
  try {
    *self = std::thread([this, self] { run(self); });
    return true;
  } catch (const std::system_error&) {
    threads_.erase(self);
    return false;
  }
}

void GrowingPool::run(Threads::iterator self) {
  become_worker(name_);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (jobs_.empty()) {
      if (!idle_.wait(lock, idle_time_)) return ended_.splice(ended_.end(), threads_, self);
      continue;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // destroys its captures outside the lock
    lock.lock();
  }
}

void GrowingPool::shutdown() {
  std::deque<std::function<void()>> dropped;
  Threads threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    threads.splice(threads.end(), threads_);
    threads.splice(threads.end(), ended_);
    idle_.wake_all();
  }
  dropped.clear();
  for (std::thread& thread : threads) thread.join();
}

std::size_t GrowingPool::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

}  // namespace quarry::services
