#pragma once

#include "base/executor.h"
#include "resources/fetch_queue.h"
#include "resources/request.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

class PreparationRuns;
class Waiter;

/// Error for requests after the shutdown.
Error closing_error();

/// One run of a preparation, shared by all its waiters. Thread-safe.
class PreparationRun {
 public:
  explicit PreparationRun(PreparationRuns& owner) : owner_(owner) {}
  /// Triggered when the last waiter has left.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void report(const Progress& progress);
  /// Later requests wait for the next run, because this one checks the source now.
  void close();
  /// The same for later requests with Freshness::kSync.
  void close_to_sync();

 private:
  friend class PreparationRuns;
  PreparationRuns& owner_;  // its mutex guards the members below
  std::stop_source stop_;
  bool closed_ = false;
  bool closed_to_sync_ = false;
  FetchQueue* queue_ = nullptr;  ///< queue of its ticket; null before
  FetchQueue::TicketPointer ticket_;
  std::vector<std::shared_ptr<Waiter>> waiters_;
  std::vector<std::shared_ptr<Waiter>> next_;  ///< arrived after it was closed
};

/// Executors of a library. Work on the local disk shares no thread with work that waits for other
/// hosts.
struct Executors {
  Executors(Executor& for_fetches, Executor& for_folders, Executor& for_checks,
            Executor& for_upkeep)
      : fetches(for_fetches), folders(for_folders), checks(for_checks), upkeep(for_upkeep) {}
  /// One for everything, for tests.
  Executors(Executor& one) : Executors(one, one, one, one) {}

  Executor& fetches;
  Executor& folders;  ///< folders that are read in place
  Executor& checks;   ///< checks of the cache
  Executor& upkeep;   ///< eviction
};

/// Runs one preparation of a source at a time, shared by all requests for it. Thread-safe.
class PreparationRuns {
 public:
  /// `run` prepares the order.
  using Run = std::function<Result<Prepared>(const Order& order, PreparationRun& run)>;
  PreparationRuns(Executors executors, Run run, const FetchQueue::Limits& limits = {});
  /// Shuts down.
  ~PreparationRuns();

  /// Implements Library::prepare for a request that must contact its source. With Freshness::kSync
  /// it does not share a run that may have contacted the source already.
  void join(const Request& request);

  using Job = std::function<void(const std::stop_token&)>;
  /// Runs `job`, for which no caller waits; shutdown requests its stop and waits for it. If it can
  /// no longer be run, `dropped` is called instead.
  void in_background(Job job, std::function<void()> dropped = nullptr);
  /// The same for one turn of building indexes on an executor of one thread, so that turns run one
  /// at a time, in order.
  void in_turn(Executor& executor, Job job, std::function<void()> dropped);
  /// The same for a job that a caller waits for and that only checks the cache.
  void run_check(Job job, std::function<void()> dropped);

  /// Cancels running work and waits for its end. Not on a thread of an executor. Idempotent.
  void shutdown();
  /// True once the shutdown has begun.
  [[nodiscard]] bool closing();

 private:
  friend class PreparationRun;
  class Running;
  using RunPointer = std::shared_ptr<PreparationRun>;
  Result<Prepared> run_unless_over(const Order& order, PreparationRun& run);
  void start(const Order& order, const RunPointer& run);
  void finish_run(const Order& order, const RunPointer& run, Result<Prepared> result);
  RunPointer take_next_run(const std::string& key, PreparationRun& ended);
  void leave(const std::shared_ptr<Waiter>& waiter);
  void submit(Executor& executor, Job job, std::function<void()> dropped);
  FetchQueue::Job job_of(const Order& order, const RunPointer& run);
  void abandon(PreparationRun& run);

  const Executors executors_;
  const Run run_;
  FetchQueue fetches_;
  FetchQueue folders_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
  bool closing_ = false;
  std::stop_source stop_;
  std::map<std::string, RunPointer, std::less<>> runs_;
};

}  // namespace quarry::resources
