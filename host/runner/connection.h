#pragma once

#include "base/error.h"
#include "base/file.h"
#include "runner/answer.h"
#include "runner/fair_limit.h"
#include "runner/frame.h"
#include "runner/function_name.h"
#include "runner/hello.h"
#include "runner/log_budget.h"
#include "runner/outbox.h"
#include "runner/processor_meter.h"
#include "runner/protocol.h"
#include "runner/request.h"
#include "runner/runner_process.h"
#include "runner/service_job.h"
#include "runner/shared_reader.h"
#include "runner/usage_watch.h"
#include "services/growing_pool.h"
#include "services/io_thread.h"
#include "services/log_scope.h"

#include <quarry/abi.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace quarry::runner {

/// The crash of a runner.
struct Crash {
  std::string cause;       ///< a predicate
  bool explained = true;   ///< false: one of several calls caused it
  std::string input = {};  ///< of the call that caused it; may be empty
};

struct AfterCrash {
  std::string hint;                                    ///< of the errors of its calls
  std::shared_ptr<UnexplainedCrash> unexplained = {};  ///< if the crash is not explained
};

struct ConnectionOptions {
  std::string plugin;  ///< its id, for messages
  std::vector<std::string> command;
  Hello hello;
  std::size_t components = 0;         ///< number in the manifest
  const quarry_host* host = nullptr;  ///< offers the services; null = none. Outlives the connection
  std::chrono::milliseconds start_limit{10'000};  ///< until the plugin is loaded
  /// Longest time for a call whose caller sets no deadline. [any thread]
  std::function<std::chrono::milliseconds(Function)> call_limit = limit_of;
  std::chrono::milliseconds grace = kGrace;
  UsageLimits usage = {};
  /// Bytes of requests for services that are kept at once. The largest send_all fits.
  std::size_t most_requested = 512u << 20;
  services::IoThread* io = nullptr;  ///< of deferred calls; null = none. Outlives the connection
  /// Called on the connection's thread when the runner crashes, before its calls fail. May be
  /// empty. A runner that is ended because a plugin ignores its user's cancellation has not
  /// crashed, nor has one that the system could not start.
  std::function<AfterCrash(const Crash&)> on_crash = {};
};

/// One runner process and the calls into it, many at once. A thread that calls reads the socket
/// itself while it waits, unless another one does; a thread of the connection reads it otherwise. A
/// runner that crashes, does not answer, does not read or sends what it must not is killed, and its
/// calls fail with kUnavailable. Every limit is a FairLimit: the load of the machine is not taken
/// for a hang. Deferred calls are made on the I/O thread, which reads the socket as long as there
/// are some, and never waits. [any thread]
class Connection {
 public:
  struct Component {
    std::uint32_t flags = 0;
    std::uint32_t functions = 0;  ///< kHas…
  };

  /// Starts the process and waits until the plugin is loaded.
  static Result<std::shared_ptr<Connection>> start(ConnectionOptions options);
  /// Ends the process.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Blocks until the plugin's function has returned or the runner has ended. The plugin is told
  /// when the call is over, and has the grace to return. An error is one of the runner,
  /// kUnavailable (kCancelled if the caller had cancelled the call); the plugin's own is in the
  /// answer. kResourceExhausted, without a call, for arguments that no frame can hold.
  Result<Answer> call(const Request& request);
  /// Begins a call and returns; its function has the time of limit_of(). `done` is not called
  /// before this returns, and not at all if the I/O thread ends first. Requires io(). [io]
  void defer(DeferredRequest request);
  [[nodiscard]] services::IoThread* io() const { return options_.io; }
  /// In order of the manifest.
  [[nodiscard]] const std::vector<Component>& components() const { return components_; }
  /// What holds in the process, as JSON (Sandbox::json).
  [[nodiscard]] const std::string& sandbox() const { return sandbox_; }
  [[nodiscard]] bool alive() const;
  /// Waits for the end of a runner that is not alive any more: at most the grace.
  void wait_for_end();

 private:
  /// Frames of one call that its thread has not taken yet.
  struct Inbox {
    const quarry_call* call = nullptr;
    /// Of the plugin's lines during the call.
    std::shared_ptr<const services::LogSubject> subject = services::LogScope::current();
    std::string frames;
    /// Requests for services that are being served, by number.
    std::map<std::uint32_t, std::shared_ptr<ServiceJob>> jobs;
    std::condition_variable changed;
    std::uint32_t deferred = 0;  // number of the deferred call; 0 = a thread waits
    std::string input = {};      // of the request
    std::shared_ptr<UnexplainedCrash> crash = {};  // that ended the runner
  };
  struct Deferred;
  /// The connection as jobs of the I/O thread find it, which must not end it and then wait for its
  /// end: null once it is being destroyed. The mutex is held while a job runs.
  struct Guard {
    std::recursive_mutex mutex;
    Connection* connection = nullptr;
  };
  struct Ending {
    Error error;
    std::uint32_t call = 0;     // whose thread found the cause; 0 = none
    bool forgiven = false;      // no crash: its user cancelled the call, or no process was started
    bool refused = false;       // the error is complete; otherwise its message is a predicate
    std::uint32_t culprit = 0;  // call that ended it; 0 = none, or unknown
  };

  Connection(ConnectionOptions options, Fd socket, ReadyPoll poll);

  [[nodiscard]] FairLimit::Conditions fair(std::chrono::milliseconds interval);
  std::string read(const RunnerProcess& process);
  bool pass_output(int output);
  std::chrono::milliseconds check_usage(UsageWatch& watch);
  void run(Fd theirs);
  std::optional<std::string> take(FrameBuffer& received);
  std::optional<std::string> dispatch(FrameBuffer& received);
  std::optional<std::string> take_notice(const Frame& frame);
  std::optional<std::string> deliver(const Frame& frame, std::vector<Inbox*>& touched);
  std::optional<std::string> take_service(const Frame& frame, Inbox& inbox);
  std::optional<std::string> begin_service(const Frame& frame, Inbox& inbox);
  void forget_service(Inbox& inbox, const ServiceJob& job);
  std::optional<std::string> handshake(const Frame& frame);
  void end(std::string cause);
  /// Ends the runner because of `cause`, a predicate; the first one counts.
  void fail(std::string cause, std::uint32_t call, bool forgiven = false);
  Status wait_until_ready();

  Inbox* find(std::uint32_t number);
  [[nodiscard]] std::shared_ptr<const services::LogSubject> subject_of(std::uint32_t number);
  void forget(std::uint32_t number);
  std::uint32_t next_number();
  std::uint32_t enroll(Inbox& inbox);
  void dismiss(std::uint32_t number);
  template <class Act>
  auto guarded(Act act);
  void end_unbegun(Inbox& inbox);
  void tell(Inbox& inbox);
  Result<Answer> call_with(const Request& request);
  void begin_checks();
  void check_later();
  void check_deferred();
  services::IoThread::Again read_socket();
  void advance_deferred();
  void advance(Deferred& call, std::string_view frames, bool over);
  bool has_services(Deferred& call);
  void offer_later();
  void offer_frames();
  std::optional<Answer> wait_for_answer(const Request& request, std::uint32_t number, Inbox& inbox);
  void end_services(Inbox& inbox);
  void take_frames(Inbox& inbox, std::string& frames);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] Error blame(const Ending& ending, std::string_view during) const;
  [[nodiscard]] Lost lost(std::uint32_t number, const Inbox& inbox) const;
  [[nodiscard]] Error error_for(const Request& request, std::uint32_t number) const;

  const ConnectionOptions options_;
  const Fd socket_;
  ProcessorMeter meter_;  // of the process, once it has started
  LogBudget log_budget_;
  LogBudget secret_budget_;
  Outbox outbox_;
  SharedReader reader_;
  std::vector<Component> components_;
  std::string sandbox_;
  std::uint64_t first_peak_ = 0;  // of the process's memory when the plugin was loaded

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, Inbox*> calls_;
  std::pair<std::uint32_t, Inbox*> found_;  // the last of them; 0 = none
  std::uint32_t last_number_ = 0;
  bool ready_ = false;
  bool stopping_ = false;
  std::vector<std::uint32_t> advanced_;  // deferred calls that got a frame, or their end
  bool advance_posted_ = false;          // advance_deferred() will run
  std::optional<Ending> cause_;          // the runner is being ended because of it
  std::optional<Ending> ending_;         // it has ended
  std::size_t requested_ = 0;            // bytes of requests for services that have not ended
  services::GrowingPool servants_;       // serve the runner's requests
  services::GrowingPool senders_;        // send what no thread that calls or reads may wait for
  const std::shared_ptr<Guard> guard_ = std::make_shared<Guard>();
  // Of the I/O thread.
  std::map<std::uint32_t, std::shared_ptr<Deferred>> deferred_;
  bool checks_ = false;    // check_deferred() will run
  bool answered_ = false;  // a deferred call has ended since the last one
  std::unique_ptr<services::IoThread::Watch> watch_;  // of the socket, which is claimed
  bool offer_posted_ = false;                         // offer_frames() will run
  std::chrono::steady_clock::time_point offered_{};   // the last time it ran
  std::thread thread_;                                // reads; started last
};

}  // namespace quarry::runner
