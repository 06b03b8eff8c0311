#pragma once

#include "base/executor.h"
#include "services/waiting_threads.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace quarry::services {

/// Threads for jobs that mostly wait for I/O: a thread is started when a job finds none idle, up to
/// a bound, and ends after an idle time. Same niceness as the threads of WorkerPool.
class GrowingPool final : public Executor {
 public:
  /// `name`: prefix of the thread names. `most`: at least 1. `idle`: time until a thread without a
  /// job ends.
  GrowingPool(std::string name, std::size_t most,
              std::chrono::milliseconds idle = std::chrono::seconds(10));
  /// Calls shutdown().
  ~GrowingPool() override;
  GrowingPool(const GrowingPool&) = delete;
  GrowingPool& operator=(const GrowingPool&) = delete;

  /// Drops the job if no thread exists and none can be started.
  void submit(std::function<void()> job) override;
  [[nodiscard]] std::size_t concurrency() const override { return most_; }
  /// Drops waiting jobs and returns when the running ones have ended. Not from a job.
  void shutdown();
  /// Current number of threads. [any thread]
  [[nodiscard]] std::size_t threads() const;

 private:
  using Threads = std::list<std::thread>;
  bool start_thread();
  void run(Threads::iterator self);

  const std::string name_;
  const std::size_t most_;
  const std::chrono::milliseconds idle_time_;
  mutable std::mutex mutex_;
  WaitingThreads idle_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  Threads threads_;
  Threads ended_;  // still to be joined
};

}  // namespace quarry::services
