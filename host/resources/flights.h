#pragma once

#include "base/executor.h"
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

class Flights;
class Waiter;

/// What is told to whoever asks after the end.
Error closing_error();

/// One run of a preparation, for everybody who waits for it. Thread-safe.
class Flight {
 public:
  explicit Flight(Flights& owner) : owner_(owner) {}
  /// Requested when nobody waits any more.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void report(const Progress& progress);
  /// Whoever asks from now on waits for the next run, since this one looks at the source now.
  void close();
  /// The same for those who want the source asked after they asked.
  void close_to_sync();

 private:
  friend class Flights;
  Flights& owner_;  // its mutex guards what follows
  std::stop_source stop_;
  bool closed_ = false;
  bool closed_to_sync_ = false;
  std::vector<std::shared_ptr<Waiter>> waiters_;
  std::vector<std::shared_ptr<Waiter>> next_;  ///< came after it was closed
};

/// Runs one preparation of a source at a time, shared by all who ask for it. Thread-safe.
class Flights {
 public:
  /// `run` makes ready what was ordered, on a thread of `executor`.
  using Run = std::function<Result<Prepared>(const Order& order, Flight& flight)>;
  Flights(Executor& executor, Run run);
  /// Shuts down.
  ~Flights();

  /// As Library::prepare, of a request that has to ask its source. One with Freshness::kSync shares
  /// no flight that may have asked already.
  void join(const Request& request);

  /// Runs `job` on the executor; shutdown waits for it, and requests its stop. When it can not be
  /// run any more, `dropped` is called instead.
  void in_background(std::function<void(const std::stop_token&)> job,
                     std::function<void()> dropped = nullptr);

  /// Cancels what runs and waits for its end. Not on a thread of the executor. Idempotent.
  void shutdown();
  /// Whether that has begun.
  [[nodiscard]] bool closing();

 private:
  friend class Flight;
  class Running;
  using FlightPointer = std::shared_ptr<Flight>;
  void start(const Order& order, const FlightPointer& flight);
  void land(const Order& order, const FlightPointer& flight, Result<Prepared> result);
  FlightPointer take_off_again(const std::string& key, Flight& landed);
  void leave(const std::shared_ptr<Waiter>& waiter);

  Executor& executor_;
  const Run run_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
  bool closing_ = false;
  std::stop_source stop_;
  std::map<std::string, FlightPointer, std::less<>> flights_;
};

}  // namespace quarry::resources
