#pragma once

#include "base/error.h"
#include "plugins/plugin_function.h"
#include "services/call.h"
#include "services/call_table.h"
#include "services/waiting_threads.h"

#include <quarry/abi.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace quarry::plugins {

/// One call of a function of a plugin. The functions own, together, everything that the plugin may
/// use: a call that does not return is given up, and they live until it does.
struct PluginCall {
  const PluginFunction& function;
  services::Call call = {};  ///< conditions of the caller; not used once the call is given up
  services::CallRights rights = {};
  /// Calls the function with the call to lend.
  std::function<void(const quarry_call* call)> run;
  /// On the caller's thread, when the call is given up: afterwards `run` must use nothing that the
  /// caller lent. May be empty.
  std::function<void()> detach = {};
  /// After a `run` that was given up: frees what the function returned. May be empty.
  std::function<void()> discard = {};
};

/// Calls into plugins of this process that were given up and have not returned. [any thread]
class AbandonedCalls {
 public:
  using Steady = std::chrono::steady_clock;
  /// Longest time for a call that begins after give_up_all_at().
  static constexpr std::chrono::seconds kLastCall{2};
  struct Row {
    std::string plugin;
    std::string_view function;
    friend bool operator==(const Row&, const Row&) = default;
  };
  /// `report` is called with each that is added; may be empty. [any thread]
  explicit AbandonedCalls(std::function<void(const Row&)> report = {})
      : report_(std::move(report)) {}
  void add(const Row& row);
  void remove(const Row& row);
  [[nodiscard]] std::vector<Row> rows() const;

  /// Limits a shutdown: calls that run at `end` are over then, and those that begin later after
  /// kLastCall. A plugin with a call that was given up is not called then.
  void give_up_all_at(Steady::time_point end) { end_ = end.time_since_epoch().count(); }
  /// True if a call that began at `begun` is over because of that.
  [[nodiscard]] bool is_over(Steady::time_point begun) const;
  [[nodiscard]] bool is_past_end() const { return is_over(Steady::time_point::min()); }

 private:
  const std::function<void(const Row&)> report_;
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
  std::atomic<Steady::rep> end_ = Steady::time_point::max().time_since_epoch().count();
};

/// Number of calls that were given up and have not returned, in the whole process, which must then
/// end by _exit. [any thread]
[[nodiscard]] std::size_t abandoned_calls();

/// Runs the calls of one plugin in this process on threads "quarry-plugin" of their own, so that a
/// call that does not return costs its caller the time limit, and the host a thread. [any thread]
class CallThreads : public std::enable_shared_from_this<CallThreads> {
 public:
  struct Options {
    std::string plugin;  ///< id
    /// It has a transport or store: it cannot be isolated, and its threads serve clients, so that
    /// they have the priority of the callers.
    bool starts_with_host = false;
    std::shared_ptr<AbandonedCalls> abandoned;  ///< may be null
    std::chrono::milliseconds grace = kReturnGrace;
    std::size_t most_abandoned = 8;  ///< then the plugin is refused until one returns
    std::chrono::milliseconds idle = std::chrono::seconds(10);  ///< until an idle thread ends
  };

  explicit CallThreads(Options options) : options_(std::move(options)) {}
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  /// Waits until the function has returned. If it has not within the grace after the end of its
  /// call, by its conditions or by the function's limit, it is given up: kCancelled or
  /// kDeadlineExceeded. While too many are given up: kUnavailable without a call. [worker]
  Status run(const PluginCall& call);
  /// Fails as run() would without a call: while too many calls are given up, for a [control]
  /// function also after another one, and at the end of a shutdown after any.
  Status check_may_run(const PluginFunction& function);
  /// Waits until the threads have ended, but for the caller's own and those of calls that were
  /// given up, which end when these return. No call may be run any more.
  void stop();
  /// Current number of threads.
  [[nodiscard]] std::size_t threads();

 private:
  class Running;
  struct Worker {
    std::thread thread;                ///< not joinable if stop() has taken or detached it
    const Running* current = nullptr;  ///< compared only
  };
  using Workers = std::list<Worker>;
  struct Abandoned {
    const Running* running;  ///< compared only
    const PluginFunction* function;
  };
  [[nodiscard]] Error refusal(Code code, const std::string& predicate) const;
  Status submit(const std::shared_ptr<Running>& running);
  Code wait(Running& running) const;
  void note_abandoned(const Running& running);
  void note_returned(const Running* running, const PluginFunction& function);
  void loop(Workers::iterator self);
  void run_one(std::shared_ptr<Running> running);
  std::shared_ptr<Running> next(std::unique_lock<std::mutex>& lock);

  const Options options_;
  std::mutex mutex_;
  services::WaitingThreads idle_;
  std::deque<std::shared_ptr<Running>> waiting_;
  std::vector<Abandoned> abandoned_;
  Workers workers_;
  std::thread ended_;  ///< the last one that ended idle, joined by the next
  bool stopping_ = false;
};

}  // namespace quarry::plugins
