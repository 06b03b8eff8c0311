#pragma once

#include "base/executor.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace quarry::services {

/// Threads for what waits for others most of the time: one is started when a job finds none idle,
/// up to a bound, and ends when it has been idle for a while. As nice as those of WorkerPool.
class GrowingPool final : public Executor {
 public:
  /// `name` begins the names of the threads. `most` is at least 1. `idle`: how long a thread
  /// without a job stays.
  GrowingPool(std::string name, std::size_t most,
              std::chrono::milliseconds idle = std::chrono::seconds(10));
  /// As shutdown.
  ~GrowingPool() override;
  GrowingPool(const GrowingPool&) = delete;
  GrowingPool& operator=(const GrowingPool&) = delete;

  /// When there can be no thread at all, the job is dropped.
  void submit(std::function<void()> job) override;
  [[nodiscard]] std::size_t concurrency() const override { return most_; }
  /// Drops the jobs that wait and returns when the running ones ended. Not from a job.
  void shutdown();
  /// How many threads there are now. [any thread]
  [[nodiscard]] std::size_t threads() const;

 private:
  using Threads = std::list<std::thread>;
  bool start_thread();
  void run(Threads::iterator self);

  const std::string name_;
  const std::size_t most_;
  const std::chrono::milliseconds idle_time_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  Threads threads_;
  Threads ended_;  // still to be joined
};

}  // namespace quarry::services
