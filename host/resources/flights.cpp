#include "resources/flights.h"

#include "resources/source_host.h"

#include <algorithm>
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

std::string waiting_text(bool in_place, std::size_t ahead) {
  return std::string(in_place ? "waiting to read the folder: " : "waiting for a fetch: ") +
         std::to_string(ahead) + " ahead";
}

}  // namespace

/// One who asked. Its outcome is told once, whoever comes first with it.
class Waiter {
 public:
  /// What it waits for; under the mutex of Flights.
  std::weak_ptr<Flight> flight;
  const Claim claim;

  explicit Waiter(const Request& request)
      : claim(request.claim), progress_(request.progress), done_(request.done) {}

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

Flights::Flights(Executors executors, Run run, const FetchQueue::Limits& limits)
    : executors_(executors),
      run_(std::move(run)),
      fetches_(executors.fetches, limits),
      folders_(executors.folders, {std::min(limits.at_once, executors.folders.concurrency()),
                                   limits.per_principal, 0}) {}

Flights::~Flights() {
  shutdown();
}

void Flights::join(const Request& request) {
  const auto waiter = std::make_shared<Waiter>(request);
  FlightPointer flight;
  FetchQueue* queue = nullptr;  // in which the flight waits or runs already
  FetchQueue::TicketPointer ticket;
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
      if (!late) queue = flight->queue_;
      if (!late) ticket = flight->ticket_;
    }
  }
  if (!flight) return waiter->finish(closing_error());
  if (ticket) queue->claim(ticket, request.claim);
  waiter->on_stop(request.stop, [this, weak = std::weak_ptr(waiter)] {
    if (const auto leaving = weak.lock()) leave(leaving);
  });
  if (first) start(request.order, flight);
}

void Flights::leave(const std::shared_ptr<Waiter>& waiter) {
  FlightPointer left;
  FetchQueue* queue = nullptr;
  FetchQueue::TicketPointer ticket;
  bool abandoned = false;
  {
    std::lock_guard lock(mutex_);
    if (const auto flight = waiter->flight.lock()) {
      std::erase(flight->next_, waiter);
      if (std::erase(flight->waiters_, waiter) > 0) left = flight;
    }
    if (left) {
      queue = left->queue_;
      ticket = left->ticket_;
      abandoned = left->waiters_.empty();
    }
    if (abandoned) left->closed_ = true;
  }
  if (abandoned) {
    abandon(*left);
  } else if (ticket) {
    queue->disclaim(ticket, waiter->claim);
  }
  waiter->finish(abandoned_error());
}

FetchQueue::Job Flights::job_of(const Order& order, const FlightPointer& flight) {
  const auto running = std::make_shared<Running>(
      *this, [this, order, flight] { land(order, flight, closing_error()); });
  const auto waited = std::make_shared<std::atomic<bool>>(false);
  FetchQueue::Job job;
  if (!order.in_place) job.host = source_host(order.resource);
  job.run = [this, order, flight, running, waited] {
    running->begun();
    if (waited->load()) flight->report({order.in_place ? "reading the folder" : "fetching"});
    land(order, flight, run_unless_over(order, *flight));
  };
  job.waits = [weak = std::weak_ptr(flight), waited, in_place = order.in_place](std::size_t ahead) {
    const auto waiting = weak.lock();
    if (waiting) waiting->report({waiting_text(in_place, ahead)});
    waited->store(true);
  };
  return job;
}

/// Its turn may come from one that the shutdown has just ended.
Result<Prepared> Flights::run_unless_over(const Order& order, Flight& flight) {
  if (closing()) return closing_error();
  if (flight.stop().stop_requested()) return abandoned_error();
  return run_(order, flight);
}

/// running_ counts the flight already.
void Flights::start(const Order& order, const FlightPointer& flight) {
  FetchQueue& queue = order.in_place ? folders_ : fetches_;
  const auto ticket = FetchQueue::make(job_of(order, flight));
  std::vector<Claim> claims;
  {
    std::lock_guard lock(mutex_);
    flight->queue_ = &queue;
    flight->ticket_ = ticket;  // whoever comes from now on claims it, or drops it
    for (const auto& waiter : flight->waiters_) claims.push_back(waiter->claim);
  }
  for (const Claim& claim : claims) queue.claim(ticket, claim);
  if (claims.empty()) queue.drop(ticket);
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

void Flights::in_background(Job job, std::function<void()> dropped) {
  submit(executors_.upkeep, std::move(job), std::move(dropped));
}

void Flights::look(Job job, std::function<void()> dropped) {
  submit(executors_.looks, std::move(job), std::move(dropped));
}

void Flights::submit(Executor& executor, Job job, std::function<void()> dropped) {
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
  executor.submit([job = std::move(job), stop = stop_.get_token(), running]() mutable {
    running->begun();
    job(stop);
    job = nullptr;
  });
}

bool Flights::closing() {
  std::lock_guard lock(mutex_);
  return closing_;
}

/// Stops a flight that runs, and drops one that waits.
void Flights::abandon(Flight& flight) {
  FetchQueue* queue = nullptr;
  FetchQueue::TicketPointer ticket;
  {
    std::lock_guard lock(mutex_);
    queue = flight.queue_;
    ticket = flight.ticket_;
  }
  flight.stop_.request_stop();
  if (ticket) queue->drop(ticket);
}

void Flights::shutdown() {
  std::vector<FlightPointer> flights;
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    for (const auto& [key, flight] : flights_) flights.push_back(flight);
  }
  stop_.request_stop();
  for (const auto& flight : flights) abandon(*flight);
  flights.clear();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace quarry::resources
