#pragma once

#include "base/executor.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// Executors for tests and benchmarks of modules below `services`, which has the real workers.

namespace quarry {

/// One thread per job, for the widest interleaving. The destructor waits for all.
class ThreadPerJob final : public Executor {
 public:
  ~ThreadPerJob() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) override { threads_.emplace_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 4; }

 private:
  std::vector<std::thread> threads_;
};

/// `count` threads and one queue; the destructor waits until the queue is empty.
class Threads final : public Executor {
 public:
  explicit Threads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Threads() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> job) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }
  [[nodiscard]] std::size_t concurrency() const override { return threads_.size(); }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;  // destroys its captures outside the lock
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quarry
