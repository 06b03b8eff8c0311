#pragma once

#include "base/executor.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace quarry::ask {

/// Runs the jobs of one owner one after another, in order. [any thread]
class SerialJobs {
 public:
  /// Null `workers`: a job runs at once, on the thread that adds it. Otherwise must outlive it.
  explicit SerialJobs(Executor* workers) : workers_(workers) {}

  [[nodiscard]] bool at_once() const { return workers_ == nullptr; }
  /// `owner`, which this is a member of, is kept until the job has run or the workers dropped it.
  void add(std::shared_ptr<void> owner, std::function<void()> job);

 private:
  void drain();

  Executor* const workers_;
  std::mutex mutex_;
  std::list<std::function<void()>> jobs_;
  bool draining_ = false;
};

}  // namespace quarry::ask
