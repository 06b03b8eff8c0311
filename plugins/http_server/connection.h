#pragma once

#include "loop.h"
#include "parser.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace quarry::http_server {

/// One client connection: reads requests, passes one at a time to the handler (pipelined ones wait
/// in order), writes the response. All functions run on its loop.
///
/// With TLS, encrypted bytes pass through `tls_` between the socket and everything else: in arrived
/// and in refill.
class Connection : public std::enable_shared_from_this<Connection>, public IdleEntry {
 public:
  Connection(std::shared_ptr<Loop> loop, Socket socket, const boost::asio::ip::address& peer,
             Peers::Place place);
  ~Connection();

  void start();
  /// Refuses the client instead of serving it.
  void start_refusing(const Refusal& refusal);
  /// Applies the timeouts that have passed at `now`.
  void check(Moment now);
  /// Continues with the next request after a rejection; called by Loop::pause.
  void end_pause();
  /// Its turn after Loop::continue_later.
  void continue_now();
  /// Closes after the current response; at once if idle after one, soon if no request comes.
  void wind_down();
  void close();
  [[nodiscard]] bool closed() const { return phase_ == Phase::kClosed; }
  [[nodiscard]] Loop& loop() { return *loop_; }
  /// Connections of the same peer, this one included; 0 if they are not counted.
  [[nodiscard]] std::size_t of_same_peer() const { return place_ ? place_->connections() : 0; }

  // See Responder; calls for a `request` that is not the current one do nothing.
  void send(std::uint64_t request, const Response& response);
  void on_closed(std::uint64_t request, std::function<void()> callback);
  void after(std::uint64_t request, std::chrono::milliseconds delay,
             std::function<void()> callback);
  void start_stream(std::uint64_t request, const Response& head);
  void write(std::uint64_t request, std::string_view bytes);
  [[nodiscard]] std::size_t unsent() const;
  void on_drained(std::uint64_t request, std::function<void()> callback);
  void end_stream(std::uint64_t request);
  [[nodiscard]] bool over(std::uint64_t request) const;

  std::size_t index = 0;  // position in the loop's list

 private:
  enum class Phase { kIdle, kHeader, kBody, kAnswering, kLingering, kClosed };

  [[nodiscard]] bool is_behind() const;
  [[nodiscard]] bool may_read() const;
  [[nodiscard]] bool may_advance() const;
  void read();
  void wait_for_bytes();
  void read_waiting();
  void arrived(std::string_view bytes);
  void received(std::string_view bytes);
  void received_end();
  void advance();
  void yield();
  void resume();
  void enter(Phase phase);
  void begin_request();
  void take_id(std::string_view offered);
  [[nodiscard]] Request current_request() const;
  void dispatch();
  [[nodiscard]] bool refused_early();
  void ask_admission();
  void admitted(std::uint64_t admission, std::expected<Handler::Sender, Response> outcome);
  void begin_body();
  [[nodiscard]] bool may_hold(std::uint64_t bytes) const;
  [[nodiscard]] bool hold(std::size_t bytes);
  void release_body();
  void reject(const Response& response);
  static bool is_rejection(int status);
  void slow_down();
  void refuse(const Refusal& refusal);
  void answer_and_close(const Response& response);
  void finish_request();
  void time_out();

  void flush();
  void refill();
  void write_rest();
  void written();
  void linger();
  void close_when_written();
  [[nodiscard]] HeadContext head_context() const;

  std::shared_ptr<Loop> loop_;
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;  // null: plain
  // What every write of a stream needs, in few lines of memory.
  std::uint64_t request_ = 0;  // odd while one is being answered
  Phase phase_ = Phase::kIdle;
  bool http_1_0_ = false;
  bool streaming_ = false;
  bool writing_ = false;  // the socket was full
  bool close_when_written_ = false;
  std::string out_;
  std::string wire_;     // TLS records to send
  std::string sending_;  // handed to the socket from `sent_` on
  std::size_t sent_ = 0;

  RequestParser parser_;
  Moment deadline_{};           // of the phase
  Moment write_deadline_{};     // while the socket accepts no bytes
  std::uint32_t rejected_ = 0;  // responses in a row that reject the sender

  std::optional<Peers::Place> place_;  // reset on close, even if a request is still being handled
  std::uint64_t admissions_ = 0;       // calls of Handler::admit so far
  bool asks_admission_ = false;        // the outcome of the last one is pending
  bool asking_ = false;                // inside the call of Handler::admit
  Handler::Sender sender_;             // of the current request
  std::size_t held_ = 0;               // bytes of its body, as counted in Shared

  std::uint64_t cut_request_ = 0;  // the request that close interrupted
  std::string id_;                 // X-Request-Id of the current request
  std::string peer_;
  bool head_only_ = false;
  bool keep_alive_ = true;
  std::function<void()> closed_;
  std::function<void()> drained_;
  std::optional<Timer> timer_;

  bool reading_ = false;
  bool client_ended_ = false;  // the client has sent its last byte
  bool dispatching_ = false;
  bool paused_ = false;   // waits for end_pause: no request is read
  bool yielded_ = false;  // waits for continue_now
  bool tls_ended_ = false;
  std::unique_ptr<std::array<char, 512>> incoming_;  // read buffer; null while streaming
};

}  // namespace quarry::http_server
