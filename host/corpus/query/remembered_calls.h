#pragma once

#include "base/error.h"
#include "base/executor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace quarry::corpus {

/// The result of a call that runs on another thread. Thread-safe.
template <class Value>
class AwaitedCall {
 public:
  /// Waits until `deadline` at most. kDeadlineExceeded, kCancelled, or the error of the call.
  Result<Value> wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    ended_.wait_until(lock, stop, deadline, [this] { return result_.has_value(); });
    if (result_) return *result_;
    if (stop.stop_requested()) return Error{Code::kCancelled, "the search was cancelled"};
    return Error{Code::kDeadlineExceeded, "the call has not ended in time"};
  }
  void finish(Result<Value> result) {
    const std::lock_guard lock(mutex_);
    result_.emplace(std::move(result));
    ended_.notify_all();
  }
  [[nodiscard]] bool ended() {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  /// True if it has a value.
  [[nodiscard]] bool succeeded() {
    const std::lock_guard lock(mutex_);
    return result_ && *result_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::optional<Result<Value>> result_;
};

/// Runs calls of one model on threads of its own and remembers the results of the last ones, so
/// that each page of a search has the same order. Thread-safe.
template <class Value>
class RememberedCalls {
 public:
  using Call = std::function<Result<Value>(std::stop_token stop)>;

  /// `threads` runs the calls; while it is busy with earlier ones, calls are refused in the name of
  /// `model` ("the encoder").
  RememberedCalls(std::string model, Executor& threads)
      : model_(std::move(model)), threads_(threads) {}
  ~RememberedCalls() { stop(); }
  RememberedCalls(const RememberedCalls&) = delete;
  RememberedCalls& operator=(const RememberedCalls&) = delete;

  /// Requests running and later calls to stop; does not wait for them.
  void stop() { stop_.request_stop(); }
  /// The remembered call of `key`, else begins `call`; a failed one is not remembered. Does not
  /// block. kUnavailable if too many calls have not returned. [any thread]
  Result<std::shared_ptr<AwaitedCall<Value>>> begin(const std::string& key, Call call);

 private:
  static constexpr std::size_t kMostKnown = 64;
  using Known = std::list<std::pair<std::string, std::shared_ptr<AwaitedCall<Value>>>>;

  [[nodiscard]] std::shared_ptr<AwaitedCall<Value>> find(const std::string& key);
  void forget_oldest();

  const std::string model_;
  Executor& threads_;
  std::stop_source stop_;
  std::mutex mutex_;
  Known known_;  // the latest first
};

/// One that runs or has succeeded. Requires the mutex.
template <class Value>
std::shared_ptr<AwaitedCall<Value>> RememberedCalls<Value>::find(const std::string& key) {
  const auto at = std::ranges::find(known_, key, &Known::value_type::first);
  if (at == known_.end()) return nullptr;
  if (at->second->ended() && !at->second->succeeded()) {
    known_.erase(at);
    return nullptr;
  }
  known_.splice(known_.begin(), known_, at);
  return at->second;
}

/// Requires the mutex.
template <class Value>
void RememberedCalls<Value>::forget_oldest() {
  if (known_.size() <= kMostKnown) return;
  const auto oldest = std::find_if(known_.rbegin(), known_.rend(),
                                   [](const auto& one) { return one.second->ended(); });
  if (oldest != known_.rend()) known_.erase(std::next(oldest).base());
}

template <class Value>
Result<std::shared_ptr<AwaitedCall<Value>>> RememberedCalls<Value>::begin(const std::string& key,
                                                                          Call call) {
  auto awaited = std::make_shared<AwaitedCall<Value>>();
  {
    const std::lock_guard lock(mutex_);
    if (auto known = find(key)) return known;
    const auto running =
        std::ranges::count_if(known_, [](const auto& one) { return !one.second->ended(); });
    if (static_cast<std::size_t>(running) >= threads_.concurrency()) {
      return Error{Code::kUnavailable, model_ + " is busy with earlier questions"};
    }
    known_.emplace_front(key, awaited);
    forget_oldest();
  }
  // What ends without running, as the executor is shutting down, is an error too.
  const std::shared_ptr<void> dropped(nullptr, [awaited](void*) {
    if (!awaited->ended()) {
      awaited->finish(Error{Code::kUnavailable, "the host is shutting down"});
    }
  });
  threads_.submit([awaited, dropped, call = std::move(call), stop = stop_.get_token()] {
    awaited->finish(call(stop));
  });
  return awaited;
}

}  // namespace quarry::corpus
