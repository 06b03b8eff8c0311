#pragma once

#include "base/executor.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace quarry::services {

/// A fixed set of threads "quarry-work-N" for jobs that block or compute. Their nice value is
/// higher by five, so that many busy workers do not slow responses of the I/O thread.
class WorkerPool final : public Executor {
 public:
  /// `threads` = 0: one per core.
  explicit WorkerPool(std::size_t threads = 0);
  /// Calls shutdown().
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(std::function<void()> job) override;
  /// Like submit, but false if the pool has shut down and the job was dropped. [any thread]
  bool try_submit(std::function<void()> job);
  [[nodiscard]] std::size_t concurrency() const override { return size_; }
  /// Drops waiting jobs and returns when the running ones have ended. Not from a worker.
  void shutdown();

 private:
  void run(std::size_t number);

  const std::size_t size_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

/// A dedicated thread for a loop with its own end condition. Joined by destruction.
class NamedLoop {
 public:
  /// Starts `run` on a thread named `name` (its first 15 bytes). Throws std::system_error if no
  /// thread can be created.
  NamedLoop(const std::string& name, std::function<void()> run);
  ~NamedLoop();
  NamedLoop(const NamedLoop&) = delete;
  NamedLoop& operator=(const NamedLoop&) = delete;

 private:
  std::thread thread_;
};

}  // namespace quarry::services
