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

/// Responds to one request: with one response, at once or later, or with one stream. Copies refer
/// to the same request. Once that is over (answered, ended, or the client disconnected) every
/// function does nothing.
///
/// [loop] functions are called on the connection's loop only: in Handler::handle, in `job` of post,
/// and in the callbacks passed here.
class Responder {
 public:
  Responder(std::shared_ptr<Connection> connection, std::uint64_t request);

  /// Sends the response. [any]
  void send(Response response) const;
  /// Runs `job` on the loop, later, even if the request is over; drops it once the loop has ended.
  /// [any]
  void post(std::function<void()> job) const;
  /// Like post, but runs `job` before it returns if the loop is idle. The caller must hold no lock
  /// that a callback passed here takes. [any]
  void dispatch(std::function<void()> job) const;

  /// Calls `callback` once, when the client disconnects or the server closes the connection before
  /// the request was answered, also if that has just happened. With a callback, a client that only
  /// closed its sending side counts as disconnected. [loop]
  void on_closed(std::function<void()> callback) const;
  /// Calls `callback` after `delay`, unless the request is over by then; replaces an earlier call.
  /// [loop]
  void after(std::chrono::milliseconds delay, std::function<void()> callback) const;

  /// Starts a stream; the body of `head` is ignored. [loop]
  void start_stream(const Response& head) const;
  /// Sends the next bytes of the stream, in one write if the socket accepts them all. [loop]
  void write(std::string_view bytes) const;
  /// Bytes written but not yet accepted by the socket. [loop]
  [[nodiscard]] std::size_t unsent() const;
  /// Calls `callback` each time unsent() returns to 0. [loop]
  void on_drained(std::function<void()> callback) const;
  /// Ends the stream. [loop]
  void end_stream() const;

  /// True if the request is over. [loop]
  [[nodiscard]] bool over() const;

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t request_;
};

}  // namespace quarry::http_server
