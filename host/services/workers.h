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

/// A fixed set of threads "quarry-work-N" for what blocks or computes. They are five steps nicer
/// than the I/O thread, so that many busy workers never slow an answer to a client.
class WorkerPool final : public Executor {
 public:
  /// `threads` = 0: one for every core.
  explicit WorkerPool(std::size_t threads = 0);
  /// As shutdown.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(std::function<void()> job) override;
  /// As submit, but false when the pool has shut down and the job was dropped. [any thread]
  bool try_submit(std::function<void()> job);
  [[nodiscard]] std::size_t concurrency() const override { return size_; }
  /// Drops the jobs that wait and returns when the running ones ended. Not from a worker.
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

/// A thread of its own for a loop that has its own way to end. Joined by destruction.
class NamedLoop {
 public:
  /// Starts `run` on a thread named `name` (its first 15 bytes). Throws std::system_error when
  /// there can be no thread.
  NamedLoop(const std::string& name, std::function<void()> run);
  ~NamedLoop();
  NamedLoop(const NamedLoop&) = delete;
  NamedLoop& operator=(const NamedLoop&) = delete;

 private:
  std::thread thread_;
};

}  // namespace quarry::services
