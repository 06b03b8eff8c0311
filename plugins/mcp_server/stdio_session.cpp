#include "stdio_session.h"

#include "http_server/one_line.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <poll.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/eventfd.h>

namespace quarry::mcp {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Marks the peer as an MCP client from its first message on.
RequestHead head_of_a_client() {
  RequestHead head;
  head.shows_mcp = true;
  return head;
}

}  // namespace

/// Both pipes and the calls of the client. [the thread of run], except post and stop.
class StdioSession::Channel final : public Outlet, public std::enable_shared_from_this<Channel> {
 public:
  Channel(Catalogue& catalogue, StdioOptions options)
      : catalogue_(catalogue), options_(options), methods_(catalogue) {}
  ~Channel() override { ::close(wake_); }

  void run();
  void stop();

  void post(std::function<void()> job) override;
  void open(Call&) override {}
  void notify(Call&, std::string_view message) override { write(message); }
  void finish(Call& call, const Answer& answer) override;

 private:
  /// The answers of one batch, until all are complete.
  struct Batch {
    std::size_t open = 0;
    std::string answers;
  };

  void wait();
  void run_jobs();
  void read();
  void take(std::string_view text);
  void run_message(Message message, const std::shared_ptr<Batch>& batch);
  void take_notification(const Message& message);
  void answer(std::string_view message, const std::shared_ptr<Batch>& batch);
  void close_batch(const std::shared_ptr<Batch>& batch);
  void write(std::string_view message);
  [[nodiscard]] bool wait_until_writable() const;
  void heartbeat();
  void end_listening();
  [[nodiscard]] bool is_over() const;

  Catalogue& catalogue_;
  const StdioOptions options_;
  const RequestHead head_ = head_of_a_client();
  Methods methods_;
  Running running_;
  std::map<const Call*, std::pair<std::shared_ptr<Call>, std::shared_ptr<Batch>>> calls_;
  std::string unread_;
  bool skips_ = false;  // drops the rest of a line that is too long
  bool input_ended_ = false;
  bool output_ended_ = false;
  steady_clock::time_point last_heartbeat_ = steady_clock::now();

  const int wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;  // under mutex_
  bool stopping_ = false;                    // under mutex_
};

StdioSession::StdioSession(Catalogue& catalogue, StdioOptions options)
    : channel_(std::make_shared<Channel>(catalogue, options)) {}

StdioSession::~StdioSession() = default;

void StdioSession::run() {
  channel_->run();
}

void StdioSession::stop() {
  channel_->stop();
}

void StdioSession::Channel::run() {
  // Makes write return an error if the client has closed its end.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  while (!is_over()) {
    wait();
    run_jobs();
    heartbeat();
  }
  running_.end_all();
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  jobs_.clear();
}

bool StdioSession::Channel::is_over() const {
  return output_ended_ || (input_ended_ && calls_.empty());
}

void StdioSession::Channel::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
}

void StdioSession::Channel::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    jobs_.push_back(std::move(job));
  }
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
}

void StdioSession::Channel::wait() {
  const auto next = last_heartbeat_ + options_.heartbeat - steady_clock::now();
  const auto limit = std::max<std::int64_t>(0, std::chrono::ceil<milliseconds>(next).count());
  // A negative descriptor is left out. Output is watched for its reader's end alone.
  std::array<pollfd, 3> ready{{{wake_, POLLIN, 0},
                               {input_ended_ ? -1 : options_.input, POLLIN, 0},
                               {options_.output, 0, 0}}};
  if (::poll(ready.data(), ready.size(), static_cast<int>(limit)) <= 0) return;
  if (ready[2].revents != 0) {
    output_ended_ = true;
  } else if (ready[1].revents != 0) {
    read();
  }
}

void StdioSession::Channel::run_jobs() {
  std::uint64_t count = 0;
  static_cast<void>(::read(wake_, &count, sizeof count));
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
    if (stopping_) output_ended_ = true;
  }
  for (const auto& job : jobs) job();
}

void StdioSession::Channel::read() {
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = ::read(options_.input, buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    input_ended_ = true;
    if (!unread_.empty() && !skips_) take(std::exchange(unread_, {}));
    return end_listening();
  }
  const std::size_t searched = unread_.size();
  unread_.append(buffer.data(), static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end = unread_.find('\n', searched); end != std::string::npos;
       end = unread_.find('\n', begin)) {
    if (!std::exchange(skips_, false)) take(std::string_view(unread_).substr(begin, end - begin));
    begin = end + 1;
  }
  unread_.erase(0, begin);
  if (unread_.size() <= options_.most_bytes) return;
  unread_.clear();
  if (std::exchange(skips_, true)) return;
  write(error_message(
      "null", {kInvalidRequest,
               "a message is larger than " + std::to_string(options_.most_bytes) + " bytes"}));
}

void StdioSession::Channel::take(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.find_first_not_of(" \t") == text.npos) return;
  Messages messages = parse_messages(text);
  if (messages.problem) return write(error_message("null", *messages.problem));
  const auto batch = messages.is_batch ? std::make_shared<Batch>() : nullptr;
  if (batch) ++batch->open;  // until all its messages are started
  for (Message& message : messages.all) run_message(std::move(message), batch);
  close_batch(batch);
}

void StdioSession::Channel::run_message(Message message, const std::shared_ptr<Batch>& batch) {
  const Era era = era_of(head_, message);
  if (const auto why = check_message(head_, message, era, batch != nullptr)) {
    const bool is_notification = message.kind == Message::Kind::kNotification;
    if (!is_notification) answer(error_message(message.id, why->error), batch);
    return;
  }
  if (message.kind == Message::Kind::kResponse) return;
  if (message.kind == Message::Kind::kNotification) return take_notification(message);
  if (batch) ++batch->open;
  const auto call =
      std::make_shared<Call>(std::move(message), era, head_, Caller{}, shared_from_this());
  calls_[call.get()] = {call, batch};
  running_.add(call);
  methods_.run(call, false);
}

void StdioSession::Channel::take_notification(const Message& message) {
  const Json* const id = find(*message.params, "requestId");
  if (message.method == "notifications/cancelled" && id != nullptr) {
    running_.cancel({}, {}, dump(*id));
  }
}

void StdioSession::Channel::finish(Call& call, const Answer& answer) {
  const auto found = calls_.find(&call);
  const auto [kept, batch] = found->second;
  calls_.erase(found);
  running_.remove(call);
  // A cancelled request gets no answer.
  if (!call.cancelled()) this->answer(render(call, answer, catalogue_.offer()), batch);
  close_batch(batch);
}

void StdioSession::Channel::answer(std::string_view message, const std::shared_ptr<Batch>& batch) {
  if (!batch) return write(message);
  batch->answers.append(batch->answers.empty() ? "" : ",").append(message);
}

void StdioSession::Channel::close_batch(const std::shared_ptr<Batch>& batch) {
  if (!batch || --batch->open > 0 || batch->answers.empty()) return;
  write("[" + batch->answers + "]");
}

/// Writes in pieces that a writable pipe accepts whole, so that stop does not wait for a client
/// that does not read.
void StdioSession::Channel::write(std::string_view message) {
  std::string text;
  http_server::append_one_line(text, message);
  text += '\n';
  for (std::size_t sent = 0; sent < text.size() && !output_ended_;) {
    if (!wait_until_writable()) break;
    const std::size_t piece = std::min<std::size_t>(text.size() - sent, PIPE_BUF);
    const ssize_t wrote = ::write(options_.output, text.data() + sent, piece);
    if (wrote >= 0) {
      sent += static_cast<std::size_t>(wrote);
    } else if (errno != EINTR && errno != EAGAIN) {
      output_ended_ = true;
    }
  }
}

bool StdioSession::Channel::wait_until_writable() const {
  constexpr int kLookMs = 100;  // interval of checks for stop while the client does not read
  pollfd output{options_.output, POLLOUT, 0};
  while (::poll(&output, 1, kLookMs) <= 0) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
  }
  return true;
}

void StdioSession::Channel::heartbeat() {
  const auto now = steady_clock::now();
  if (now - last_heartbeat_ < options_.heartbeat) return;
  last_heartbeat_ = now;
  std::vector<std::shared_ptr<Call>> calls;
  for (const auto& [key, kept] : calls_) calls.push_back(kept.first);
  for (const auto& call : calls) {
    if (now - call->begin >= options_.longest && call->message().method != "subscriptions/listen") {
      call->end(End::kTimeOut);
    } else {
      call->step();
    }
  }
}

/// Ends the subscriptions, whose client has ended its input.
void StdioSession::Channel::end_listening() {
  std::vector<std::shared_ptr<Call>> calls;
  for (const auto& [key, kept] : calls_) {
    if (kept.first->message().method == "subscriptions/listen") calls.push_back(kept.first);
  }
  for (const auto& call : calls) call->end(End::kDisconnected);
}

}  // namespace quarry::mcp
