#pragma once

#include "response.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace quarry::http_server {

class Connection;

/// The way back to the client of one request: one answer, at once or later, or one stream. Copies
/// speak for the same request. When that is over (answered, ended, or the client gone) every
/// function does nothing.
///
/// [loop] functions are called on the connection's loop only: in Handler::handle, in `job` of post,
/// and in the callbacks given here.
class Responder {
 public:
  Responder(std::shared_ptr<Connection> connection, std::uint64_t request);

  /// Answers. [any]
  void send(Response response) const;
  /// Runs `job` on the loop, later, even when the request is over; dropped when the loop has ended.
  /// [any]
  void post(std::function<void()> job) const;
  /// As post, but runs `job` before it returns when the loop has nothing to do. The caller may hold
  /// no lock that a callback given here takes. [any]
  void dispatch(std::function<void()> job) const;

  /// Calls `callback` once, when the client is gone or the server cuts the connection before the
  /// request was answered, also when that has just happened. With a callback, a client that only
  /// closed its sending side counts as gone. [loop]
  void on_closed(std::function<void()> callback) const;
  /// Calls `callback` after `delay`, unless the request is over by then; replaces an earlier one.
  /// [loop]
  void after(std::chrono::milliseconds delay, std::function<void()> callback) const;

  /// Begins a stream; the body of `head` is ignored. [loop]
  void start_stream(const Response& head) const;
  /// Sends the next bytes of the stream: all of it in one write when the socket takes it. [loop]
  void write(std::string_view bytes) const;
  /// Bytes written and not yet taken by the socket. [loop]
  [[nodiscard]] std::size_t unsent() const;
  /// Calls `callback` each time when unsent() has come back to 0. [loop]
  void on_drained(std::function<void()> callback) const;
  /// Ends the stream. [loop]
  void end_stream() const;

  /// Whether the request is over. [loop]
  [[nodiscard]] bool over() const;

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t request_;
};

}  // namespace quarry::http_server
