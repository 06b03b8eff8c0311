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

/// A fixed set of threads "quarry-work-N" for jobs that block or compute. Their nice value is
/// higher by five, so that many busy workers do not slow responses of the I/O thread. Threads that
/// wait in a BlockedWorker are replaced meanwhile.
class WorkerPool final : public Executor {
 public:
  /// Largest number of threads that replace others.
  static constexpr std::size_t kMostReplacements = 64;

  /// `threads` = 0: one per core. `idle`: time after which a replacement that has nothing to do
  /// ends.
  explicit WorkerPool(std::size_t threads = 0,
                      std::chrono::milliseconds idle = std::chrono::seconds(10));
  /// Calls shutdown().
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(std::function<void()> job) override;
  /// Like submit, but a job that was accepted always runs, at the latest during shutdown(). False
  /// if the pool is shutting down: the job was not accepted. [any thread]
  bool try_submit(std::function<void()> job);
  [[nodiscard]] std::size_t concurrency() const override { return size_; }
  void block(const std::function<void()>& wait) override;
  /// Drops the waiting jobs of submit, and returns when those of try_submit and the running ones
  /// have ended. Not from a worker.
  void shutdown();
  /// Current number of threads. [any thread]
  [[nodiscard]] std::size_t threads();
  /// Current number of jobs that no thread has begun. [any thread]
  [[nodiscard]] std::size_t waiting();

 private:
  friend class BlockedWorker;
  using Threads = std::list<std::thread>;
  struct Job {
    std::function<void()> run;
    bool accepted = false;  // by try_submit
  };

  bool enqueue(Job job);
  void start_thread();
  void start_if_needed();
  bool may_begin() const;
  void wake_if_needed();
  void run(std::size_t number, Threads::iterator self);
  bool wait_for_job(std::unique_lock<std::mutex>& lock);
  void block();
  void unblock();

  const std::size_t size_;
  const std::chrono::milliseconds idle_time_;
  std::mutex mutex_;
  WaitingThreads idle_;
  std::deque<Job> jobs_;
  std::size_t active_ = 0;   ///< threads that run a job and are not blocked
  std::size_t blocked_ = 0;  ///< threads in a BlockedWorker
  std::size_t last_number_ = 0;
  bool stopping_ = false;
  Threads threads_;
  Threads ended_;  ///< still to be joined
};

/// Declares that the calling thread waits for code that may never answer. If it is a worker, its
/// pool runs jobs on another thread until destruction, as long as it has fewer than
/// kMostReplacements. On other threads, and inside another one, it does nothing.
class BlockedWorker {
 public:
  BlockedWorker();
  ~BlockedWorker();
  BlockedWorker(const BlockedWorker&) = delete;
  BlockedWorker& operator=(const BlockedWorker&) = delete;

  /// True if the calling thread is a worker that has not declared it yet.
  [[nodiscard]] static bool can_be();

 private:
  WorkerPool* const pool_;
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
