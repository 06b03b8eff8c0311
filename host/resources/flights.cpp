#include "resources/flights.h"

#include <atomic>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::resources {

Error closing_error() {
  return {Code::kUnavailable, "the host is shutting down"};
}

namespace {

Error abandoned_error() {
  return {Code::kCancelled, "the preparation was cancelled"};
}

}  // namespace

/// One who asked. Its outcome is told once, whoever comes first with it.
class Waiter {
 public:
  /// What it waits for; under the mutex of Flights.
  std::weak_ptr<Flight> flight;

  Waiter(Library::OnProgress progress, Library::OnPrepared done)
      : progress_(std::move(progress)), done_(std::move(done)) {}

  void report(const Progress& progress) const {
    if (progress_ && !finished_.load()) progress_(progress);
  }
  void finish(Result<Prepared> result) {
    if (!finished_.exchange(true)) done_(std::move(result));
  }
  void on_stop(std::stop_token stop, std::function<void()> act) {
    callback_.emplace(std::move(stop), std::move(act));
  }

 private:
  Library::OnProgress progress_;
  Library::OnPrepared done_;
  std::atomic<bool> finished_ = false;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

/// Counts one job. When the executor drops the job, its flight ends all the same.
class Flights::Running {
 public:
  Running(Flights& owner, std::function<void()> dropped)
      : owner_(owner), dropped_(std::move(dropped)) {}
  ~Running() {
    if (dropped_) dropped_();
    std::lock_guard lock(owner_.mutex_);
    if (--owner_.running_ == 0) owner_.idle_.notify_all();
  }
  void begun() { dropped_ = nullptr; }

 private:
  Flights& owner_;
  std::function<void()> dropped_;
};

void Flight::close() {
  std::lock_guard lock(owner_.mutex_);
  closed_ = true;
}

void Flight::close_to_sync() {
  std::lock_guard lock(owner_.mutex_);
  closed_to_sync_ = true;
}

void Flight::report(const Progress& progress) {
  std::unique_lock lock(owner_.mutex_);
  auto waiters = waiters_;
  waiters.insert(waiters.end(), next_.begin(), next_.end());  // what they wait for, too
  lock.unlock();
  for (const auto& waiter : waiters) waiter->report(progress);
}

Flights::Flights(Executor& executor, Run run) : executor_(executor), run_(std::move(run)) {}

Flights::~Flights() {
  shutdown();
}

void Flights::join(const Request& request) {
  const auto waiter = std::make_shared<Waiter>(request.progress, request.done);
  FlightPointer flight;
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    if (!closing_) {
      FlightPointer& known = flights_[request.order.key];
      first = !known;
      if (first) {
        known = std::make_shared<Flight>(*this);
        ++running_;
      }
      flight = known;
      const bool late =
          flight->closed_ || (flight->closed_to_sync_ && request.freshness == Freshness::kSync);
      (late ? flight->next_ : flight->waiters_).push_back(waiter);
      waiter->flight = flight;
    }
  }
  if (!flight) return waiter->finish(closing_error());
  waiter->on_stop(request.stop, [this, weak = std::weak_ptr(waiter)] {
    if (const auto leaving = weak.lock()) leave(leaving);
  });
  if (first) start(request.order, flight);
}

void Flights::leave(const std::shared_ptr<Waiter>& waiter) {
  FlightPointer abandoned;
  {
    std::lock_guard lock(mutex_);
    if (const auto flight = waiter->flight.lock()) {
      std::erase(flight->next_, waiter);
      if (std::erase(flight->waiters_, waiter) > 0 && flight->waiters_.empty()) abandoned = flight;
    }
    if (abandoned) abandoned->closed_ = true;
  }
  if (abandoned) abandoned->stop_.request_stop();
  waiter->finish(abandoned_error());
}

/// running_ counts the flight already.
void Flights::start(const Order& order, const FlightPointer& flight) {
  const auto running = std::make_shared<Running>(
      *this, [this, order, flight] { land(order, flight, closing_error()); });
  executor_.submit([this, order, flight, running] {
    running->begun();
    land(order, flight,
         flight->stop().stop_requested() ? Result<Prepared>(abandoned_error())
                                         : run_(order, *flight));
  });
}

void Flights::land(const Order& order, const FlightPointer& flight, Result<Prepared> result) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  std::vector<std::shared_ptr<Waiter>> refused;
  FlightPointer next;
  {
    std::lock_guard lock(mutex_);
    waiters = std::move(flight->waiters_);
    if (closing_) refused = std::move(flight->next_);
    next = take_off_again(order.key, *flight);
  }
  // The last one takes the result itself, so that nothing here prolongs its lease.
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    waiters[i]->finish(i + 1 < waiters.size() ? result : std::move(result));
  }
  for (const auto& waiter : refused) waiter->finish(closing_error());
  if (next) start(order, next);
}

/// The flight of those who came too late for this one, if any. Under the mutex.
Flights::FlightPointer Flights::take_off_again(const std::string& key, Flight& landed) {
  if (landed.next_.empty()) {
    flights_.erase(key);
    return nullptr;
  }
  auto next = std::make_shared<Flight>(*this);
  next->waiters_ = std::move(landed.next_);
  for (const auto& waiter : next->waiters_) waiter->flight = next;
  ++running_;
  flights_[key] = next;
  return next;
}

void Flights::in_background(std::function<void(const std::stop_token&)> job,
                            std::function<void()> dropped) {
  bool closing = false;
  {
    std::lock_guard lock(mutex_);
    closing = closing_;
    if (!closing) ++running_;
  }
  if (closing && dropped) dropped();
  if (closing) return;
  const auto running = std::make_shared<Running>(*this, std::move(dropped));
  // What the job holds is let go before it counts as ended.
  executor_.submit([job = std::move(job), stop = stop_.get_token(), running]() mutable {
    running->begun();
    job(stop);
    job = nullptr;
  });
}

bool Flights::closing() {
  std::lock_guard lock(mutex_);
  return closing_;
}

void Flights::shutdown() {
  std::vector<FlightPointer> flights;
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    for (const auto& [key, flight] : flights_) flights.push_back(flight);
  }
  stop_.request_stop();
  for (const auto& flight : flights) flight->stop_.request_stop();
  flights.clear();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace quarry::resources
