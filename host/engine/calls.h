#pragma once

#include "base/error.h"
#include "base/executor.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

namespace quarry::engine {

/// Runs blocking methods on workers, each with a handle that cancels it. Thread-safe.
class Calls {
 public:
  using Body = std::function<Result<std::string>(std::stop_token)>;
  using Reply = std::function<void(Result<std::string>)>;

  /// Most calls that may wait for a worker. More are rejected at once, so that overload causes
  /// quick errors instead of slow answers.
  static constexpr std::size_t kMostWaiting = 1000;

  explicit Calls(Executor& workers) : workers_(workers) {}

  using Start = std::function<void(std::stop_token, Reply)>;

  /// Replies once with the result of `body`, from a worker; kUnavailable at once when closed,
  /// RateLimitError at once when too many wait.
  std::uint64_t run(Body body, Reply reply);
  /// The same for a call that continues after `start`, which runs on a worker, has returned: it
  /// calls its reply once, on any thread.
  std::uint64_t begin(Start start, Reply reply);
  /// A handle for a call that was already answered.
  std::uint64_t answered();
  void cancel(std::uint64_t handle);
  /// Rejects new calls, cancels the running ones and waits for their replies. Not on a worker.
  void close();

 private:
  void finish(std::uint64_t handle);
  void begun();

  Executor& workers_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::map<std::uint64_t, std::stop_source> running_;
  std::uint64_t last_ = 0;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace quarry::engine
