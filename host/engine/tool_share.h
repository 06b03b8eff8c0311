#pragma once

#include "base/executor.h"
#include "services/job_limit.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::engine {

/// Runs the searches of callers on workers: at most half of the workers for one caller, and all but
/// one for all callers, but always one. Others wait in order, without a thread, so that no caller
/// fills the workers. Thread-safe.
class ToolShare {
 public:
  /// `workers` must outlive the jobs.
  explicit ToolShare(Executor& workers);

  /// `caller` is the id of a token; empty = the owner.
  void submit(const std::string& caller, std::function<void()> job);

 private:
  /// Passes jobs of one caller on to the share of all.
  class AllCallers;

  std::shared_ptr<services::JobLimit> limit_of(const std::string& caller);

  const std::shared_ptr<AllCallers> all_;
  const std::size_t most_of_caller_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<services::JobLimit>> callers_;
};

}  // namespace quarry::engine
