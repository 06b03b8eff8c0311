#pragma once

#include "base/executor.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace quarry::ask {

/// Runs the jobs of one owner on workers, one after another, in order. [any thread]
class SerialJobs {
 public:
  /// `workers` must outlive it.
  explicit SerialJobs(Executor& workers) : workers_(workers) {}

  /// `owner`, which this is a member of, is kept until the job has run or the workers dropped it.
  void add(std::shared_ptr<void> owner, std::function<void()> job);

 private:
  void drain();

  Executor& workers_;
  std::mutex mutex_;
  std::list<std::function<void()>> jobs_;
  bool draining_ = false;
};

}  // namespace quarry::ask
