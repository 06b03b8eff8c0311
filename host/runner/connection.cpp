#include "runner/connection.h"

#include "base/size_text.h"
#include "runner/function_name.h"
#include "runner/host_call.h"
#include "runner/runner_process.h"
#include "runner/strikes.h"
#include "services/thread_setup.h"

#include <quarry/host.hpp>
#include <quarry/services.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;

/// Interval at which the state of a call is checked.
constexpr milliseconds kPoll{20};
/// Requests for services that are served at once; others wait.
constexpr std::size_t kMostServants = 16;

/// Bytes of the arguments of a call, beside the other fields of its frame.
constexpr std::size_t kMostArguments = kMaxPayload - 64;

/// Bytes of secrets that a runner hides at once and, later, in a second; each counts as
/// kLeastSecret at least.
constexpr std::uint64_t kMostSecrets = 1u << 20;
constexpr std::uint64_t kSecretsPerSecond = 100;
constexpr std::size_t kLeastSecret = 1'024;

/// Interval at which the time of a start is checked.
constexpr milliseconds kStartPoll{50};

/// Frames of a runner that the thread of a call takes.
bool is_for_call(Kind kind) {
  return kind >= Kind::kReply && kind <= Kind::kLastOfStream;
}

/// Frames that no call waits for.
bool is_notice(Kind kind) {
  return kind >= Kind::kLog && kind <= Kind::kHide;
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::start(ConnectionOptions options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("cannot create a socket pair", errno);
  }
  Fd mine(ends[0]), theirs(ends[1]);
  auto poll = ReadyPoll::make();
  if (!poll) return std::move(poll.error());
  std::shared_ptr<Connection> made(
      new Connection(std::move(options), std::move(mine), std::move(*poll)));
  // The process is started by the thread that lives as long as it does (PR_SET_PDEATHSIG).
  try {
    made->thread_ = std::thread([connection = made.get(), theirs = std::move(theirs)]() mutable {
      connection->run(std::move(theirs));
    });
  } catch (const std::system_error& failure) {
    return Error(Code::kResourceExhausted, "plugin " + made->options_.plugin +
                                               " (isolated) cannot be started: " + failure.what());
  }
  if (auto ready = made->wait_until_ready(); !ready) return std::move(ready.error());
  return made;
}

Connection::Connection(ConnectionOptions options, Fd socket, ReadyPoll poll)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      secret_budget_(kMostSecrets, kSecretsPerSecond),
      outbox_(socket_.get(), options_.grace, Outbox::kDelay, [this] { return meter_.read(); }),
      reader_(socket_.get(), std::move(poll), kPoll,
              [this](FrameBuffer& received) { return take(received); }),
      servants_("quarry-serve", kMostServants),
      senders_("quarry-send", 1) {
  guard_->connection = this;
}

Connection::~Connection() {
  {
    const std::lock_guard lock(guard_->mutex);
    guard_->connection = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
}

Status Connection::wait_until_ready() {
  FairLimit limit(options_.start_limit, fair(kStartPoll));
  bool late = false;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kStartPoll, [&] { return ending_ || (ready_ && !late); })) {
    late = late || limit.has_passed(FairLimit::Steady::now());
    lock.unlock();
    if (late) fail("was not loaded within " + in_words(options_.start_limit), 0);
    lock.lock();
  }
  if (ready_ && !late) return {};
  return blame(*ending_, "");
}

FairLimit::Conditions Connection::fair(milliseconds interval) {
  return {.interval = interval, .times = [this] { return meter_.read(); }};
}

void Connection::run(Fd theirs) {
  services::name_this_thread("quarry-runner");
  auto process = RunnerProcess::start(options_.command, std::move(theirs));
  if (!process) {
    fail(process.error().message, 0, true);
    return end({});
  }
  meter_.watch("/proc/" + std::to_string(process->pid()) + "/task");
  const bool sent =
      outbox_.send(Kind::kHello, 0, [&](PacketWriter& packet) { options_.hello.write(packet); });
  std::string cause = sent ? read(*process) : outbox_.failure();
  ::shutdown(socket_.get(), SHUT_RDWR);
  bool killed = false;
  {
    const std::lock_guard lock(mutex_);
    killed = cause_.has_value();
  }
  const auto ended = process->finish(killed ? milliseconds(0) : kGrace);
  while (pass_output(process->output())) continue;
  if (!ended.phrase.empty()) cause = ended.phrase;
  const auto limit = options_.hello.memory;
  // The kernel refuses memory beyond the limit, and what the plugin does then is its own matter.
  if (limit != 0 && ended.peak > std::max(first_peak_, limit / 10 * 9)) {
    cause = "exceeded its memory limit of " + std::to_string(limit >> 20) + " MiB (" + cause + ")";
  }
  end(std::move(cause));
}

std::string Connection::read(const RunnerProcess& process) {
  UsageWatch watch(options_.usage,
                   readings_of(process.pid(), {options_.hello.cache, options_.hello.data}));
  return reader_.run(process.ended(),
                     {.descriptor = process.output(),
                      .readable = [&] { return pass_output(process.output()) || errno == EAGAIN; },
                      .check = [&] { return check_usage(watch); }});
}

/// Passes some of what the plugin has written to standard error. False if nothing has come, with
/// the cause in errno, which is 0 at the end.
bool Connection::pass_output(int output) {
  char bytes[16u << 10];
  errno = 0;
  const ssize_t count = ::read(output, bytes, sizeof bytes);
  if (count <= 0) return false;
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  if (log_budget_.take(text.size())) static_cast<void>(write_all(STDERR_FILENO, text));
  return true;
}

/// The time until the next check.
milliseconds Connection::check_usage(UsageWatch& watch) {
  if (const auto refused = log_budget_.take_refused(); refused != 0 && options_.host != nullptr) {
    if (const auto* log = Host(options_.host).service<quarry_log_v1>(QUARRY_LOG)) {
      const std::string line =
          "the plugin writes more than its log may have: " + size_text(refused) + " were left out";
      log->write(log, QUARRY_LOG_WARNING, as_text(line));
    }
  }
  std::unique_lock lock(mutex_);
  const auto calls = last_number_;
  const bool running = !calls_.empty();
  lock.unlock();
  if (auto fault = watch.check(calls, running, UsageWatch::Steady::now()))
    fail(std::move(*fault), 0);
  return watch.next();
}

/// On the thread that reads.
std::optional<std::string> Connection::take(FrameBuffer& received) {
  auto fault = dispatch(received);
  if (fault) fail(*fault, 0);
  return fault;
}

/// Passes on every complete frame; a predicate if the runner sent what it must not.
std::optional<std::string> Connection::dispatch(FrameBuffer& received) {
  std::unique_lock lock(mutex_);
  std::vector<Inbox*> touched;
  const auto notify = [&] {
    for (Inbox* inbox : touched) tell(*inbox);
    touched.clear();
  };
  std::optional<std::string> fault;
  Frame frame;
  auto taken = Taken::kFrame;
  while (!fault && (taken = received.next(frame)) == Taken::kFrame) {
    if (ready_ && is_notice(frame.kind) && options_.host != nullptr) {
      notify();
      const auto subject = subject_of(frame.call);
      lock.unlock();
      const services::LogScope scope(subject);  // not that of the call whose thread reads
      fault = take_notice(frame);
      lock.lock();
    } else {
      fault = ready_ ? deliver(frame, touched) : handshake(frame);
    }
  }
  if (taken == Taken::kMalformed) fault = received.next().error().message;
  notify();
  return fault;
}

/// The host keeps what it hides until it ends, and looks for it in all that it writes.
std::optional<std::string> Connection::take_notice(const Frame& frame) {
  const auto size = frame.payload.size();
  if (frame.kind == Kind::kLog && !log_budget_.take(size)) return std::nullopt;
  if (frame.kind == Kind::kHide && !secret_budget_.take(std::max(size, kLeastSecret))) {
    return "had more secrets hidden than the host keeps for it";
  }
  if (!runner::take_notice(*options_.host, frame.kind, frame.payload)) return kMalformed;
  return std::nullopt;
}

std::optional<std::string> Connection::deliver(const Frame& frame, std::vector<Inbox*>& touched) {
  const bool service = frame.kind == Kind::kService || frame.kind == Kind::kServiceCredit;
  if (!is_for_call(frame.kind) && !service) return "sent a frame that only a host sends";
  Inbox* const inbox = find(frame.call);
  if (inbox == nullptr) return "answered a call that was not made";
  if (service) return take_service(frame, *inbox);
  if (inbox->frames.size() > kWindow + kMaxPayload) return "sent more than it was allowed";
  inbox->frames += frame.bytes;
  if (touched.empty() || touched.back() != inbox) touched.push_back(inbox);
  if (frame.kind == Kind::kReply) forget(frame.call);
  return std::nullopt;
}

/// Requires the mutex. Most frames belong to the same call as the one before.
Connection::Inbox* Connection::find(std::uint32_t number) {
  if (found_.first != number) {
    const auto found = calls_.find(number);
    if (found == calls_.end()) return nullptr;
    found_ = *found;
  }
  return found_.second;
}

/// Null once the call has ended: then a job of the plugin has gone on. Requires the mutex.
std::shared_ptr<const services::LogSubject> Connection::subject_of(std::uint32_t number) {
  const Inbox* const inbox = number == 0 ? nullptr : find(number);
  return inbox == nullptr ? nullptr : inbox->subject;
}

/// Requires the mutex.
void Connection::forget(std::uint32_t number) {
  calls_.erase(number);
  found_ = {};
}

std::optional<std::string> Connection::handshake(const Frame& frame) {
  PacketReader packet(frame.payload);
  if (frame.kind == Kind::kRefused) {
    const auto code = static_cast<Code>(packet.get<std::int32_t>());
    std::string message(packet.text());
    cause_ = Ending{Error(code, std::move(message), std::string(packet.text())), 0, false, true};
    return "refused the plugin";
  }
  if (frame.kind != Kind::kReady || packet.get<std::uint32_t>() != kProtocol) {
    return "is of another version of the host";
  }
  sandbox_ = packet.text();
  first_peak_ = packet.get<std::uint64_t>();
  if (packet.get<std::uint32_t>() != options_.components) return kMalformed;
  for (std::size_t i = 0; i < options_.components; ++i) {
    components_.push_back({packet.get<std::uint32_t>(), packet.get<std::uint32_t>()});
  }
  if (!packet.complete()) return kMalformed;
  ready_ = true;
  changed_.notify_all();
  return std::nullopt;
}

void Connection::fail(std::string cause, std::uint32_t call, bool forgiven) {
  // The end of the process tells why the connection was closed.
  if (cause != Outbox::kClosed) {
    if (cause == outbox_.failure()) call = 0;  // a call that cannot be sent is not at fault
    const std::lock_guard lock(mutex_);
    if (cause_ || ending_) return;
    cause_ = Ending{Error(Code::kUnavailable, std::move(cause)), call, forgiven};
  }
  ::shutdown(socket_.get(), SHUT_RDWR);
}

/// On the reading thread, once the process has ended.
void Connection::end(std::string cause) {
  std::unique_lock lock(mutex_);
  Ending ending = cause_ ? *cause_ : Ending{Error(Code::kUnavailable, std::move(cause))};
  const bool crashed = !ending.refused && !ending.forgiven && !stopping_;
  const auto culprit = calls_.size() == 1 ? calls_.begin() : calls_.find(ending.call);
  Crash crash{.cause = ending.error.message,
              .explained = calls_.empty() || culprit != calls_.end()};
  if (culprit != calls_.end()) {
    ending.culprit = culprit->first;
    crash.input = culprit->second->input;
  }
  lock.unlock();
  if (ending.forgiven) ending.error.hint = "it is started again when it is used next";
  AfterCrash after;
  if (crashed && options_.on_crash) {
    after = options_.on_crash(crash);
    ending.error.hint = after.hint;
  }
  lock.lock();
  ending_ = std::move(ending);
  changed_.notify_all();
  for (const auto& [number, inbox] : calls_) {
    inbox->crash = after.unexplained;
    tell(*inbox);
  }
}

/// Of a call that the runner's end has ended.
Lost Connection::lost(std::uint32_t number, const Inbox& inbox) const {
  const std::lock_guard lock(mutex_);
  if (inbox.crash != nullptr) return {Lost::By::kUnknown, inbox.crash};
  return {ending_->culprit == number ? Lost::By::kItself : Lost::By::kOthers};
}

bool Connection::alive() const {
  const std::lock_guard lock(mutex_);
  return !cause_ && !ending_;
}

void Connection::wait_for_end() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ending_.has_value(); });
}

bool Connection::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ending_.has_value();
}

/// Of a new call. Requires the mutex.
std::uint32_t Connection::next_number() {
  do ++last_number_;
  while (last_number_ == 0 || calls_.contains(last_number_));
  return last_number_;
}

std::uint32_t Connection::enroll(Inbox& inbox) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t number = next_number();
  calls_.emplace(number, &inbox);
  return number;
}

void Connection::dismiss(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  forget(number);
}

/// Replaces `frames` by those that have come, waiting for them at most kPoll.
void Connection::take_frames(Inbox& inbox, std::string& frames) {
  frames.clear();
  if (frames.capacity() > kMostKept) frames = {};
  std::unique_lock lock(mutex_);
  const auto has_come = [&] { return !inbox.frames.empty() || ending_; };
  const auto waits = [&] {
    const std::lock_guard again(mutex_);
    return !has_come();
  };
  if (!has_come()) {
    lock.unlock();
    const bool read = reader_.read(waits);
    lock.lock();
    if (!read) inbox.changed.wait_for(lock, kPoll, has_come);
  }
  frames.swap(inbox.frames);
}

Result<Answer> Connection::call(const Request& request) {
  std::string arguments;
  PacketWriter written(arguments);
  if (request.arguments) request.arguments(written);
  if (arguments.size() > kMostArguments) {
    return Error(Code::kResourceExhausted,
                 "plugin " + options_.plugin + " (isolated) cannot be passed " +
                     std::to_string(arguments.size()) + " bytes for " +
                     std::string(name_of(request.function)) + ", more than " +
                     std::to_string(kMostArguments),
                 "pass less, or run the plugin in the host");
  }
  Request sent = request;
  sent.arguments = [&](PacketWriter& packet) { packet.raw(arguments); };
  return call_with(sent);
}

Result<Answer> Connection::call_with(const Request& request) {
  Inbox inbox;
  inbox.call = request.call;
  inbox.input = request.input;
  const std::uint32_t number = enroll(inbox);
  auto answer = wait_for_answer(request, number, inbox);
  dismiss(number);
  end_services(inbox);
  if (answer) return std::move(*answer);
  if (request.lost != nullptr) *request.lost = lost(number, inbox);
  return error_for(request, number);
}

/// Empty if the runner has ended.
std::optional<Answer> Connection::wait_for_answer(const Request& request, std::uint32_t number,
                                                  Inbox& inbox) {
  HostCall call(request, number, outbox_,
                {options_.call_limit(request.function), options_.grace, fair(kPoll)},
                [this, number](std::string cause, bool forgiven) {
                  fail(std::move(cause), number, forgiven);
                });
  call.send();
  for (std::string frames;;) {
    take_frames(inbox, frames);
    if (auto answer = call.take(frames)) return answer;
    if (frames.empty() && has_ended()) return std::nullopt;
    call.check_limits();
  }
}

Error Connection::blame(const Ending& ending, std::string_view during) const {
  if (ending.refused) return ending.error;
  Error error = ending.error;
  error.message = "plugin " + options_.plugin + " (isolated) " + error.message;
  if (!during.empty()) error.message += ", while it ran " + std::string(during);
  return error;
}

Error Connection::error_for(const Request& request, std::uint32_t number) const {
  const auto* call = request.call;
  std::unique_lock lock(mutex_);
  // A cause found in this call names the function already.
  Error error = blame(*ending_, ending_->call == number ? "" : name_of(request.function));
  lock.unlock();
  if (call != nullptr && call->state(call) == QUARRY_CANCELLED) error.code = Code::kCancelled;
  return error;
}

}  // namespace quarry::runner
