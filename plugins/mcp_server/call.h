#pragma once

#include "era.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::mcp {

/// The caller of a call.
struct Caller {
  std::string principal;              // see Access; empty = the owner of the host
  std::vector<std::string> rights;    // of the principal; the owner may do everything
  std::vector<std::string> projects;  // named outside the arguments, perhaps in several places
  bool structured = false;            // the query asks for structured content
  std::string request;                // id of the request, for the audit
  std::string traceparent;            // header of the request, unchecked; may be empty

  [[nodiscard]] bool may(std::string_view right) const;
};

/// The outcome of a call: a result, or an error.
struct Answer {
  std::string result;  // a JSON object; empty = `error` applies
  std::optional<RpcError> error;
  int status = 200;    // of HTTP, unless a stream has begun
  bool typed = false;  // the result contains its resultType
  // If set, the call was refused for now: over HTTP 429, unless a response has begun.
  std::optional<std::chrono::milliseconds> retry_after;
  std::string refusal;  // the message of the 429

  static Answer of(std::string result) { return {std::move(result), {}, 200, false, {}, {}}; }
  static Answer of_type(std::string result) { return {std::move(result), {}, 200, true, {}, {}}; }
  static Answer failed(int code, std::string message, std::string data = {}) {
    return {{}, RpcError{code, std::move(message), std::move(data)}, 200, false, {}, {}};
  }
  static Answer refused(Refused why) {
    return {{}, std::move(why.error), why.status, false, {}, {}};
  }
};

class Call;

/// Destination of the messages of calls: one HTTP response, or standard output. [the outlet's
/// thread], except post.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Runs `job` on the outlet's thread, later; drops it if that has ended. [any]
  virtual void post(std::function<void()> job) = 0;
  /// The call has begun and may take long.
  virtual void open(Call& call) = 0;
  virtual void notify(Call& call, std::string_view message) = 0;
  virtual void finish(Call& call, const Answer& answer) = 0;
  /// True if the client reads too slowly, so that optional messages should be skipped.
  [[nodiscard]] virtual bool is_full() const { return false; }
};

/// The reason why a call ends without an answer of its own.
enum class End {
  kCancelled,     // by the client
  kDisconnected,  // the client
  kTimeOut,
};

/// One request, which is answered exactly once; everything after the answer is ignored. [the
/// outlet's thread], except post.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(Message message, Era era, RequestHead head, Caller caller, std::shared_ptr<Outlet> outlet);

  [[nodiscard]] const Message& message() const { return message_; }
  [[nodiscard]] const Json& params() const { return *message_.params; }
  [[nodiscard]] Era era() const { return era_; }
  [[nodiscard]] const RequestHead& head() const { return head_; }
  [[nodiscard]] const Caller& caller() const { return caller_; }

  /// Runs `job` on the outlet's thread, later. [any]
  void post(std::function<void()> job) const;

  /// The work has begun: from here on the client gets heartbeats, if its transport allows.
  void open();
  /// Sends progress if the client asked for it. `progress` must rise.
  void progress(double progress, std::optional<double> total, std::string_view message);
  /// Raises the progress by one, with an unknown total. Without a message, repeats the last one:
  /// clients time out after a minute without messages.
  void step(std::string_view message = {});
  /// Sends `data` (JSON) to the client's log, if the client asked for that level.
  void log(std::string_view level, std::string_view logger, std::string_view data);
  /// Any notification that belongs to this call; `params` is a JSON object.
  void notify(std::string_view method, std::string_view params);
  void answer(const Answer& answer);
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool is_full() const;

  /// `hook` is called when the call ends without an answer; it may still answer.
  void on_end(std::function<void(End)> hook);
  void end(End reason);
  [[nodiscard]] bool cancelled() const { return cancelled_; }

  // For the audit.
  std::string project;  // as named by the caller
  std::string tool;
  std::string question;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

 private:
  [[nodiscard]] bool wants_log(std::string_view level) const;

  const Message message_;
  const Era era_;
  const RequestHead head_;
  const Caller caller_;
  const std::shared_ptr<Outlet> outlet_;
  std::string progress_token_;  // JSON; empty = none
  double progress_ = 0;         // as last sent
  std::optional<double> total_;
  std::string progress_message_;
  std::function<void(End)> hook_;
  bool over_ = false;
  bool cancelled_ = false;
};

/// Severity of a log level, "debug" lowest; nothing if `level` is unknown.
[[nodiscard]] std::optional<int> rank_of_level(std::string_view level);

}  // namespace quarry::mcp
