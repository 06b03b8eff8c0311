#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

namespace quarry::services {

/// The threads of a pool that wait for a job. The one that began to wait last is woken first: those
/// that a burst of jobs left over wait on undisturbed until their time is over, and can end. Every
/// function requires the mutex of the pool.
class WaitingThreads {
 public:
  /// Releases `lock` until the calling thread is woken or `time` is over; no `time`: until it is
  /// woken. False if the time was over.
  bool wait(std::unique_lock<std::mutex>& lock, std::optional<std::chrono::milliseconds> time);
  /// Wakes the thread that began to wait last. False if none waits.
  bool wake_one();
  void wake_all();

 private:
  struct Waiting {
    std::condition_variable wake;
    bool woken = false;
  };

  std::vector<Waiting*> waiting_;  // that were not woken, in the order in which they began
};

}  // namespace quarry::services
