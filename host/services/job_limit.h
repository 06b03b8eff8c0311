#pragma once

#include "base/executor.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace quarry::services {

/// Passes on jobs to an executor, at most a number of them at once; others wait for these without
/// a thread. Thread-safe.
class JobLimit : public std::enable_shared_from_this<JobLimit> {
 public:
  explicit JobLimit(std::size_t most) : most_(most) {}

  /// `executor` must outlive the job. In order of submission.
  void submit(Executor& executor, std::function<void()> job);

 private:
  void start_some(Executor& executor);

  const std::size_t most_;
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
};

}  // namespace quarry::services
