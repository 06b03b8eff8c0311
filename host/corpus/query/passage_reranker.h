#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/query/remembered_calls.h"
#include "corpus/query/reranker.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Has the passages of searches scored by the present reranker, and remembers the last scores.
/// Thread-safe.
class PassageReranker {
 public:
  /// Returns the present reranker, which a reload of the configuration may exchange; null = none.
  /// [any thread]
  using Current = std::function<std::shared_ptr<Reranker>()>;
  static constexpr std::chrono::milliseconds kWaits{5'000};

  /// `threads` runs the calls of the reranker; score() waits `longest_wait` for one.
  PassageReranker(Current current, Executor& threads,
                  std::chrono::milliseconds longest_wait = kWaits)
      : current_(std::move(current)), calls_("the reranker", threads), wait_(longest_wait) {}

  /// Requests running and later calls to stop; does not wait for them.
  void stop() { calls_.stop(); }
  /// True if there is a reranker at present.
  [[nodiscard]] bool is_configured() const { return current_() != nullptr; }
  /// One score for each of `passages` (UTF-8, none empty), in their order; higher is better.
  /// kCancelled, kDeadlineExceeded with a message that names the wait, kUnavailable without a
  /// reranker, or its error. [any thread]
  Result<std::vector<double>> score(const std::string& question, std::vector<std::string> passages,
                                    const std::stop_token& stop);

 private:
  [[nodiscard]] std::string key_of(const std::shared_ptr<Reranker>& reranker,
                                   const std::string& question,
                                   const std::vector<std::string>& passages);

  const Current current_;
  RememberedCalls<std::vector<double>> calls_;
  const std::chrono::milliseconds wait_;
  std::mutex mutex_;
  std::shared_ptr<Reranker> latest_;  // kept, so that no other one gets its address
  unsigned generation_ = 0;           // of latest_
};

}  // namespace quarry::corpus
