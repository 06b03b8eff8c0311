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

/// What is told to whoever asks after the end.
Error closing_error();

/// One run of a preparation, for everybody who waits for it. Thread-safe.
class PreparationRun {
 public:
  explicit PreparationRun(PreparationRuns& owner) : owner_(owner) {}
  /// Requested when nobody waits any more.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void report(const Progress& progress);
  /// Whoever asks from now on waits for the next run, since this one looks at the source now.
  void close();
  /// The same for those who want the source asked after they asked.
  void close_to_sync();

 private:
  friend class PreparationRuns;
  PreparationRuns& owner_;  // its mutex guards what follows
  std::stop_source stop_;
  bool closed_ = false;
  bool closed_to_sync_ = false;
  FetchQueue* queue_ = nullptr;  ///< in which it stands; null before
  FetchQueue::TicketPointer ticket_;
  std::vector<std::shared_ptr<Waiter>> waiters_;
  std::vector<std::shared_ptr<Waiter>> next_;  ///< came after it was closed
};

/// Where the work of a library runs. What only touches the local disk shares no thread with what
/// waits for other hosts.
struct Executors {
  Executors(Executor& for_fetches, Executor& for_folders, Executor& for_looks, Executor& for_upkeep)
      : fetches(for_fetches), folders(for_folders), looks(for_looks), upkeep(for_upkeep) {}
  /// One for everything, as tests use.
  Executors(Executor& one) : Executors(one, one, one, one) {}

  Executor& fetches;
  Executor& folders;  ///< folders that are read in place
  Executor& looks;    ///< what is in the cache
  Executor& upkeep;   ///< indexes, eviction
};

/// Runs one preparation of a source at a time, shared by all who ask for it. Thread-safe.
class PreparationRuns {
 public:
  /// `run` makes ready what was ordered.
  using Run = std::function<Result<Prepared>(const Order& order, PreparationRun& run)>;
  PreparationRuns(Executors executors, Run run, const FetchQueue::Limits& limits = {});
  /// Shuts down.
  ~PreparationRuns();

  /// As Library::prepare, of a request that has to ask its source. One with Freshness::kSync shares
  /// no run that may have asked already.
  void join(const Request& request);

  using Job = std::function<void(const std::stop_token&)>;
  /// Runs `job`, which keeps nobody waiting; shutdown waits for it, and requests its stop. When it
  /// can not be run any more, `dropped` is called instead.
  void in_background(Job job, std::function<void()> dropped = nullptr);
  /// The same for a job that somebody waits for, and that only looks at what is in the cache.
  void look(Job job, std::function<void()> dropped);

  /// Cancels what runs and waits for its end. Not on a thread of an executor. Idempotent.
  void shutdown();
  /// Whether that has begun.
  [[nodiscard]] bool closing();

 private:
  friend class PreparationRun;
  class Running;
  using FlightPointer = std::shared_ptr<PreparationRun>;
  Result<Prepared> run_unless_over(const Order& order, PreparationRun& run);
  void start(const Order& order, const FlightPointer& run);
  void land(const Order& order, const FlightPointer& run, Result<Prepared> result);
  FlightPointer take_off_again(const std::string& key, PreparationRun& landed);
  void leave(const std::shared_ptr<Waiter>& waiter);
  void submit(Executor& executor, Job job, std::function<void()> dropped);
  FetchQueue::Job job_of(const Order& order, const FlightPointer& run);
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
  std::map<std::string, FlightPointer, std::less<>> runs_;
};

}  // namespace quarry::resources
