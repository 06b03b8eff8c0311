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

/// One request to the one URL, from its token to its last byte. [the connection's loop]
///
/// An answer is JSON until a call says that it takes its time: then, where the client takes events,
/// it becomes a stream.
class Exchange final : public Outlet, public std::enable_shared_from_this<Exchange> {
 public:
  /// `headers` are of every answer.
  Exchange(Surface& surface, const http_server::Request& request, http_server::Responder responder,
           std::string headers);
  ~Exchange() override;

  /// Of a request without a body: finds out who asks first.
  void begin();
  /// Of a request that was admitted. `body` is used only within this call.
  void begin(const Admission& admission, std::string_view body);
  /// Finds out whether the token is still valid, and else ends its listening streams.
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
  void wait_for_news();

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
  void beat();
  void write_event(std::string_view message);
  void collect(std::string message, int status);
  void conclude();
  void session_opened(const std::string& session);
  void send_collected();
  void send(http_server::Response response);
  void end();
  void client_gone();
  void audit(const Call& call, int status);
  void audit_without_call(int status);

  Surface& surface_;
  http_server::Responder responder_;
  const std::string method_;
  const Credentials credentials_;
  const RequestHead head_;
  std::string headers_;
  std::string budget_;  // further headers, which change while a batch is counted
  const std::string peer_;
  Caller caller_;
  std::unique_ptr<const http_server::Traffic::Line> line_;  // null: not wanted
  Messages messages_;
  std::vector<std::shared_ptr<Call>> calls_;  // without an answer
  std::vector<std::string> collected_;        // messages of a JSON answer
  int status_ = 200;
  bool opens_session_ = false;
  bool running_all_ = false;  // not every message has been looked at
  bool streaming_ = false;
  bool listening_ = false;  // counted as a stream that waits for news
  bool sent_ = false;
  bool audited_ = false;
  bool watched_ = false;  // on_closed and the timer are set
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_write_ = begin_;
};

}  // namespace quarry::mcp
