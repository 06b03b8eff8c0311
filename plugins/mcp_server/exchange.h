#pragma once

#include "http_server/responder.h"
#include "surface.h"

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::mcp {

/// One HTTP request to the MCP URL and its response. [the connection's loop]
///
/// The response is JSON until a call announces long work (Call::open): then it becomes a stream, if
/// the client accepts events.
class Exchange final : public Outlet, public std::enable_shared_from_this<Exchange> {
 public:
  /// `headers` are added to every response.
  Exchange(Surface& surface, const http_server::Request& request, http_server::Responder responder,
           std::string headers);
  ~Exchange() override;

  /// Starts a request without a body; checks its token first.
  void begin();
  /// Starts a request that was admitted. `body` is used only within this call.
  void begin(const Admission& admission, std::string_view body);
  /// Checks that the token is still valid; otherwise ends its listening streams.
  void check_token();
  void end_listening();

  void post(std::function<void()> job) override { responder_.post(std::move(job)); }
  void open(Call& call) override;
  void notify(Call& call, std::string_view message) override;
  void finish(Call& call, const Answer& answer) override;
  [[nodiscard]] bool is_full() const override;

 private:
  void admit(const Credentials& credentials, bool count, Access::Admitted done);
  void with_live_session(std::function<void()> next);
  void end_session();
  void open_listening_stream();

  void read_messages(std::string_view body);
  [[nodiscard]] bool may_batch() const;
  void count_messages(std::size_t left);
  void run_in_session();
  void run_messages();
  void run(Message message);
  void take_notification(const Message& message);
  void refuse(const Message& message, Refused why);
  void refuse_all(const RpcError& error);

  void start_stream();
  void heartbeat();
  void write_event(std::string_view message);
  void collect(std::string message, int status);
  void conclude();
  void session_opened(const std::string& session);
  void send_collected();
  void send(http_server::Response response);
  void end();
  void client_disconnected();
  void audit(const Call& call, int status);
  void audit_without_call(int status);

  Surface& surface_;
  http_server::Responder responder_;
  const std::string method_;
  const Credentials credentials_;
  const RequestHead head_;
  std::string headers_;
  std::string budget_;  // rate limit headers, which change while a batch is counted
  const std::string peer_;
  Caller caller_;
  std::unique_ptr<const http_server::Traffic::Line> line_;  // null = not logged
  Messages messages_;
  std::vector<std::shared_ptr<Call>> calls_;  // not answered yet
  std::vector<std::string> collected_;        // messages of a JSON response
  int status_ = 200;
  bool opens_session_ = false;
  bool running_all_ = false;  // run_messages is not done
  bool streaming_ = false;
  bool listening_ = false;  // counted as a listening stream
  bool sent_ = false;
  bool audited_ = false;
  bool watched_ = false;  // on_closed and the timer are set
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_write_ = begin_;
};

}  // namespace quarry::mcp
