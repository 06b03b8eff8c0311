#include "resources/preparation_runs.h"

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

/// A waiting request. Its callback gets the first outcome only.
class Waiter {
 public:
  /// The run it waits for; guarded by the mutex of PreparationRuns.
  std::weak_ptr<PreparationRun> run;
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

/// Counts one job. If the executor drops the job, `dropped` still ends its run.
class PreparationRuns::Running {
 public:
  Running(PreparationRuns& owner, std::function<void()> dropped)
      : owner_(owner), dropped_(std::move(dropped)) {}
  ~Running() {
    if (dropped_) dropped_();
    std::lock_guard lock(owner_.mutex_);
    if (--owner_.running_ == 0) owner_.idle_.notify_all();
  }
  void begun() { dropped_ = nullptr; }

 private:
  PreparationRuns& owner_;
  std::function<void()> dropped_;
};

void PreparationRun::close() {
  std::lock_guard lock(owner_.mutex_);
  closed_ = true;
}

void PreparationRun::close_to_sync() {
  std::lock_guard lock(owner_.mutex_);
  closed_to_sync_ = true;
}

void PreparationRun::report(const Progress& progress) {
  std::unique_lock lock(owner_.mutex_);
  auto waiters = waiters_;
  waiters.insert(waiters.end(), next_.begin(), next_.end());  // they wait for this run too
  lock.unlock();
  for (const auto& waiter : waiters) waiter->report(progress);
}

PreparationRuns::PreparationRuns(Executors executors, Run run, const FetchQueue::Limits& limits)
    : executors_(executors),
      run_(std::move(run)),
      fetches_(executors.fetches, limits),
      folders_(executors.folders, {std::min(limits.at_once, executors.folders.concurrency()),
                                   limits.per_principal, 0}) {}

PreparationRuns::~PreparationRuns() {
  shutdown();
}

void PreparationRuns::join(const Request& request) {
  const auto waiter = std::make_shared<Waiter>(request);
  RunPointer run;
  FetchQueue* queue = nullptr;  // queue in which the run waits or runs
  FetchQueue::TicketPointer ticket;
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    if (!closing_) {
      RunPointer& known = runs_[request.order.key];
      first = !known;
      if (first) {
        known = std::make_shared<PreparationRun>(*this);
        ++running_;
      }
      run = known;
      const bool late =
          run->closed_ || (run->closed_to_sync_ && request.freshness == Freshness::kSync);
      (late ? run->next_ : run->waiters_).push_back(waiter);
      waiter->run = run;
      if (!late) queue = run->queue_;
      if (!late) ticket = run->ticket_;
    }
  }
  if (!run) return waiter->finish(closing_error());
  if (ticket) queue->claim(ticket, request.claim);
  waiter->on_stop(request.stop, [this, weak = std::weak_ptr(waiter)] {
    if (const auto leaving = weak.lock()) leave(leaving);
  });
  if (first) start(request.order, run);
}

void PreparationRuns::leave(const std::shared_ptr<Waiter>& waiter) {
  RunPointer left;
  FetchQueue* queue = nullptr;
  FetchQueue::TicketPointer ticket;
  bool abandoned = false;
  {
    std::lock_guard lock(mutex_);
    if (const auto run = waiter->run.lock()) {
      std::erase(run->next_, waiter);
      if (std::erase(run->waiters_, waiter) > 0) left = run;
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

FetchQueue::Job PreparationRuns::job_of(const Order& order, const RunPointer& run) {
  const auto running = std::make_shared<Running>(
      *this, [this, order, run] { finish_run(order, run, closing_error()); });
  const auto waited = std::make_shared<std::atomic<bool>>(false);
  FetchQueue::Job job;
  if (!order.in_place) {
    job.host = source_host(order.resource);
    job.type = order.resource.value("type", "");
  }
  job.run = [this, order, run, running, waited] {
    running->begun();
    if (waited->load()) run->report({order.in_place ? "reading the folder" : "fetching"});
    finish_run(order, run, run_unless_over(order, *run));
  };
  job.waits = [weak = std::weak_ptr(run), waited, in_place = order.in_place](std::size_t ahead) {
    const auto waiting = weak.lock();
    if (waiting) waiting->report({waiting_text(in_place, ahead)});
    waited->store(true);
  };
  return job;
}

/// Checks for a shutdown first: the run may start because the shutdown ended another one.
Result<Prepared> PreparationRuns::run_unless_over(const Order& order, PreparationRun& run) {
  if (closing()) return closing_error();
  if (run.stop().stop_requested()) return abandoned_error();
  const services::LogScope scope(order.subject);
  return run_(order, run);
}

/// Requires running_ to include the run.
void PreparationRuns::start(const Order& order, const RunPointer& run) {
  FetchQueue& queue = order.in_place ? folders_ : fetches_;
  const auto ticket = FetchQueue::make(job_of(order, run));
  std::vector<Claim> claims;
  {
    std::lock_guard lock(mutex_);
    run->queue_ = &queue;
    run->ticket_ = ticket;  // later requests claim or drop it
    for (const auto& waiter : run->waiters_) claims.push_back(waiter->claim);
  }
  for (const Claim& claim : claims) queue.claim(ticket, claim);
  if (claims.empty()) queue.drop(ticket);
}

void PreparationRuns::finish_run(const Order& order, const RunPointer& run,
                                 Result<Prepared> result) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  std::vector<std::shared_ptr<Waiter>> refused;
  RunPointer next;
  {
    std::lock_guard lock(mutex_);
    waiters = std::move(run->waiters_);
    if (closing_) refused = std::move(run->next_);
    next = take_next_run(order.key, *run);
  }
  // The last waiter gets the result by move, so that its lease is not prolonged here.
  for (std::size_t i = 0; i + 1 < waiters.size(); ++i) waiters[i]->finish(result);
  if (!waiters.empty()) waiters.back()->finish(std::move(result));
  for (const auto& waiter : refused) waiter->finish(closing_error());
  if (next) start(order, next);
}

/// The next run, for requests that came too late for this one, if any. Requires the mutex.
PreparationRuns::RunPointer PreparationRuns::take_next_run(const std::string& key,
                                                           PreparationRun& ended) {
  if (ended.next_.empty()) {
    runs_.erase(key);
    return nullptr;
  }
  auto next = std::make_shared<PreparationRun>(*this);
  next->waiters_ = std::move(ended.next_);
  for (const auto& waiter : next->waiters_) waiter->run = next;
  ++running_;
  runs_[key] = next;
  return next;
}

void PreparationRuns::in_background(Job job, std::function<void()> dropped) {
  submit(executors_.upkeep, std::move(job), std::move(dropped));
}

void PreparationRuns::in_turn(Executor& executor, Job job, std::function<void()> dropped) {
  submit(executor, std::move(job), std::move(dropped));
}

void PreparationRuns::run_check(Job job, std::function<void()> dropped) {
  submit(executors_.checks, std::move(job), std::move(dropped));
}

void PreparationRuns::submit(Executor& executor, Job job, std::function<void()> dropped) {
  bool closing = false;
  {
    std::lock_guard lock(mutex_);
    closing = closing_;
    if (!closing) ++running_;
  }
  if (closing && dropped) dropped();
  if (closing) return;
  const auto running = std::make_shared<Running>(*this, std::move(dropped));
  // The job's captures are destroyed before it counts as ended.
  executor.submit([job = std::move(job), stop = stop_.get_token(), running]() mutable {
    running->begun();
    job(stop);
    job = nullptr;
  });
}

bool PreparationRuns::closing() {
  std::lock_guard lock(mutex_);
  return closing_;
}

/// Stops a running run or drops a waiting one.
void PreparationRuns::abandon(PreparationRun& run) {
  FetchQueue* queue = nullptr;
  FetchQueue::TicketPointer ticket;
  {
    std::lock_guard lock(mutex_);
    queue = run.queue_;
    ticket = run.ticket_;
  }
  run.stop_.request_stop();
  if (ticket) queue->drop(ticket);
}

void PreparationRuns::shutdown() {
  std::vector<RunPointer> runs;
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
    for (const auto& [key, run] : runs_) runs.push_back(run);
  }
  stop_.request_stop();
  for (const auto& run : runs) abandon(*run);
  runs.clear();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace quarry::resources
