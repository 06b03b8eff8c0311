#include "services/workers.h"

#include "services/thread_setup.h"

#include <algorithm>

namespace quarry::services {

WorkerPool::WorkerPool(std::size_t threads)
    : size_(threads ? threads : std::max(1u, std::thread::hardware_concurrency())) {
  for (std::size_t i = 0; i < size_; ++i) threads_.emplace_back([this, i] { run(i + 1); });
}

WorkerPool::~WorkerPool() {
  shutdown();
}

void WorkerPool::submit(std::function<void()> job) {
  try_submit(std::move(job));
}

bool WorkerPool::try_submit(std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::shutdown() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::run(std::size_t number) {
  become_worker("quarry-work-" + std::to_string(number));
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

NamedLoop::NamedLoop(const std::string& name, std::function<void()> run)
    : thread_([name, body = std::move(run)] {
        name_this_thread(name);
        body();
      }) {}

NamedLoop::~NamedLoop() {
  thread_.join();
}

}  // namespace quarry::services
