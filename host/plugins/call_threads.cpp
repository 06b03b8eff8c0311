#include "plugins/call_threads.h"

#include "plugins/compose.h"
#include "plugins/current_call.h"
#include "services/log_scope.h"
#include "services/thread_setup.h"
#include "services/workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace quarry::plugins {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

/// A worker that waits longer than this for a plugin is replaced.
constexpr milliseconds kPatience{100};
constexpr milliseconds kLongestWait{20};

/// The caller's part of a call, until it is detached. [any thread]
class CallerLink {
 public:
  explicit CallerLink(const services::Call& caller) : caller_(&caller) {}
  void detach() {
    const std::scoped_lock lock(state_mutex_, progress_mutex_);
    caller_ = nullptr;
  }
  Code state() {
    const std::lock_guard lock(state_mutex_);
    return caller_ == nullptr ? Code::kCancelled : caller_->outcome();
  }
  /// May take long, and never delays state().
  void progress(std::string_view json) {
    const std::lock_guard lock(progress_mutex_);
    if (caller_ != nullptr && caller_->progress) caller_->progress(json);
  }

 private:
  std::mutex state_mutex_;
  std::mutex progress_mutex_;
  const services::Call* caller_;  ///< read with either mutex, written with both
};

services::Call lent_call(const std::shared_ptr<CallerLink>& link, const PluginCall& call,
                         const std::shared_ptr<AbandonedCalls>& abandoned) {
  const auto begun = Steady::now();
  const auto limit = begun + call.function.limit;
  services::Call lent{.deadline = std::min(call.call.deadline.value_or(limit), limit),
                      .state = [link, abandoned, begun] {
                        const bool ends = abandoned != nullptr && abandoned->is_over(begun);
                        return ends ? Code::kCancelled : link->state();
                      }};
  lent.progress = [link](std::string_view json) { link->progress(json); };
  return lent;
}

std::atomic<std::size_t> abandoned_in_process = 0;

}  // namespace

std::size_t abandoned_calls() {
  return abandoned_in_process;
}

void AbandonedCalls::add(const Row& row) {
  {
    const std::lock_guard lock(mutex_);
    rows_.push_back(row);
  }
  if (report_) report_(row);
}

void AbandonedCalls::remove(const Row& row) {
  const std::lock_guard lock(mutex_);
  if (const auto found = std::ranges::find(rows_, row); found != rows_.end()) rows_.erase(found);
}

std::vector<AbandonedCalls::Row> AbandonedCalls::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

bool AbandonedCalls::is_over(Steady::time_point begun) const {
  const Steady::time_point end{Steady::duration(end_)};
  const auto now = Steady::now();
  return now >= end && (begun < end || now - begun >= kLastCall);
}

/// A call, shared by its caller and the thread that runs it.
class CallThreads::Running {
 public:
  enum class State { kRuns, kReturned, kAbandoned };

  Running(const Options& options, const PluginCall& call)
      : plugin_(options.plugin),
        call_(call),
        link_(std::make_shared<CallerLink>(call_.call)),
        table_(lent_call(link_, call_, options.abandoned), call_.rights) {}

  [[nodiscard]] const PluginFunction& function() const { return call_.function; }
  [[nodiscard]] Code outcome() const { return table_.call().outcome(); }
  [[nodiscard]] milliseconds max_wait() const { return table_.call().max_wait(); }

  /// On the thread of the plugin. True if the call was given up meanwhile. An exception ends the
  /// process: nobody knows what it left half done.
  bool run() noexcept {
    {
      const CurrentCall current(plugin_, call_.function.name);
      const services::LogScope scope(subject_);
      call_.run(table_.get());
    }
    std::unique_lock lock(mutex_);
    if (state_ == State::kAbandoned) return true;
    state_ = State::kReturned;
    // The caller's own objects go before the caller does.
    call_.run = nullptr;
    call_.discard = nullptr;
    changed_.notify_one();
    return false;
  }
  void discard() const noexcept {
    if (!call_.discard) return;
    const CurrentCall current(plugin_, call_.function.name);
    call_.discard();
  }
  /// On the thread of the caller. True if the function has returned.
  bool wait(milliseconds longest) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, longest, [this] { return state_ == State::kReturned; });
  }
  /// Gives the call up and calls `note`; false if it has returned just now.
  bool abandon(const std::function<void()>& note) {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::kReturned) return false;
      state_ = State::kAbandoned;
      note();
    }
    if (call_.detach) call_.detach();
    return true;
  }
  /// Before the caller ends: the plugin may use the lent call even so.
  void detach() { link_->detach(); }

 private:
  const std::string plugin_;
  const std::shared_ptr<const services::LogSubject> subject_ = services::LogScope::current();
  PluginCall call_;
  const std::shared_ptr<CallerLink> link_;
  const services::HeldCallTable table_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kRuns;
};

Status CallThreads::check_may_run(const PluginFunction& function) {
  const std::lock_guard lock(mutex_);
  const bool stuck =
      function.control() &&
      std::ranges::any_of(abandoned_, [](const Abandoned& one) { return one.function->control(); });
  const bool last = !abandoned_.empty() && options_.abandoned && options_.abandoned->is_past_end();
  if (abandoned_.size() < options_.most_abandoned && !stuck && !last) return {};
  return refusal(Code::kUnavailable,
                 compose("is not called: {} of its calls were given up and have not returned, the "
                         "last one of {}",
                         abandoned_.size(), abandoned_.back().function->name));
}

Error CallThreads::refusal(Code code, const std::string& predicate) const {
  const auto& id = options_.plugin;
  return {code, compose("plugin {} {}", id, predicate),
          options_.starts_with_host
              ? compose("restart the host, or start it without the plugin: disabled = [\"{}\"] in "
                        "[plugins] of the configuration",
                        id)
              : compose("restart the host, or isolate the plugin: \"{}\" = \"process\" in "
                        "[plugins.isolation] of the configuration",
                        id)};
}

Status CallThreads::run(const PluginCall& call) {
  if (auto may = check_may_run(call.function); !may) return may;
  const auto running = std::make_shared<Running>(options_, call);
  if (auto submitted = submit(running); !submitted) return submitted;
  const Code over = wait(*running);
  const bool abandoned = over != Code::kOk && running->abandon([&] { note_abandoned(*running); });
  running->detach();
  if (!abandoned) return {};
  const auto& name = running->function().name;
  const auto grace = options_.grace.count();
  return refusal(
      over, over == Code::kCancelled
                ? compose("did not return from {} within {} ms of its cancellation", name, grace)
                : compose("did not return from {} within {} ms of its deadline", name, grace));
}

/// kOk once the function has returned; otherwise why its call was over before the grace.
Code CallThreads::wait(Running& running) const {
  const auto begun = Steady::now();
  std::optional<services::BlockedWorker> blocked;
  std::optional<Steady::time_point> over_at;
  Code over = Code::kOk;
  for (;;) {
    const auto step = std::clamp(running.max_wait(), milliseconds(1), kLongestWait);
    if (running.wait(over_at ? kLongestWait : step)) return Code::kOk;
    const auto now = Steady::now();
    if (!blocked && now - begun >= kPatience) blocked.emplace();
    if (!over_at) {
      over = running.outcome();
      if (over != Code::kOk) over_at = now;
    }
    if (over_at && now - *over_at >= options_.grace) return over;
  }
}

void CallThreads::note_abandoned(const Running& running) {
  const std::lock_guard lock(mutex_);
  abandoned_.push_back({&running, &running.function()});
  ++abandoned_in_process;
  if (options_.abandoned) options_.abandoned->add({options_.plugin, running.function().name});
}

void CallThreads::note_returned(const Running* running, const PluginFunction& function) {
  const std::lock_guard lock(mutex_);
  abandoned_.erase(std::ranges::find(abandoned_, running, &Abandoned::running));
  --abandoned_in_process;
  if (options_.abandoned) options_.abandoned->remove({options_.plugin, function.name});
}

Status CallThreads::submit(const std::shared_ptr<Running>& running) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(running);
  if (idle_.wake_one()) return {};
  const auto worker = workers_.emplace(workers_.end());
  try {
    worker->thread = std::thread([self = shared_from_this(), worker] { self->loop(worker); });
    return {};
  } catch (const std::system_error& failure) {
    workers_.erase(worker);
    waiting_.pop_back();
    return Error(Code::kResourceExhausted,
                 compose("plugin {} cannot be called: {}", options_.plugin, failure.what()));
  }
}

std::shared_ptr<CallThreads::Running> CallThreads::next(std::unique_lock<std::mutex>& lock) {
  while (waiting_.empty()) {
    if (stopping_ || !idle_.wait(lock, options_.idle)) return nullptr;
  }
  auto running = std::move(waiting_.front());
  waiting_.pop_front();
  return running;
}

void CallThreads::loop(Workers::iterator self) {
  if (options_.starts_with_host) {
    services::name_this_thread("quarry-plugin");
  } else {
    services::become_worker("quarry-plugin");
  }
  const CrashStack stack;
  std::unique_lock lock(mutex_);
  while (auto running = next(lock)) {
    self->current = running.get();
    lock.unlock();
    run_one(std::move(running));
    lock.lock();
    self->current = nullptr;
  }
  std::thread before;
  if (self->thread.joinable()) before = std::exchange(ended_, std::move(self->thread));
  workers_.erase(self);
  lock.unlock();
  if (before.joinable()) before.join();
}

void CallThreads::run_one(std::shared_ptr<Running> running) {
  const bool abandoned = running->run();
  if (abandoned) running->discard();
  const Running* const id = running.get();
  const PluginFunction& function = running->function();
  running.reset();  // perhaps the last reference to the plugin, before the host may end
  if (abandoned) note_returned(id, function);
}

void CallThreads::stop() {
  std::vector<std::thread> ending;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    idle_.wake_all();
    for (Worker& worker : workers_) {
      const bool stuck =
          worker.current != nullptr &&
          std::ranges::find(abandoned_, worker.current, &Abandoned::running) != abandoned_.end();
      if (stuck || worker.thread.get_id() == std::this_thread::get_id()) {
        worker.thread.detach();
      } else {
        ending.push_back(std::move(worker.thread));
      }
    }
    if (ended_.joinable()) ending.push_back(std::move(ended_));
  }
  for (std::thread& thread : ending) thread.join();
}

std::size_t CallThreads::threads() {
  const std::lock_guard lock(mutex_);
  return workers_.size();
}

CallThreads::~CallThreads() {
  if (!ended_.joinable()) return;
  if (ended_.get_id() == std::this_thread::get_id()) {
    ended_.detach();
  } else {
    ended_.join();
  }
}

}  // namespace quarry::plugins
