#include "buffer.h"
#include "connection.h"

#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace quarry::http_server {
namespace {

using ErrorCode = boost::system::error_code;

// Bytes of a buffer's memory that are kept for its next use.
constexpr std::size_t kKept = 16 * 1024;
constexpr std::size_t kKeptByStream = 512;  // a few tokens, since thousands of streams are open

}  // namespace

// Answering

bool Connection::over(std::uint64_t request) const {
  return request != request_ || closed();
}

HeadContext Connection::head_context() const {
  return {id_, http_1_0_, keep_alive_};
}

void Connection::send(std::uint64_t request, const Response& response) {
  if (over(request) || streaming_) return;
  render(out_, response, head_context(), head_only_);
  if (is_rejection(response.status)) {
    slow_down();
  } else {
    rejected_ = 0;
  }
  finish_request();
}

void Connection::start_stream(std::uint64_t request, const Response& head) {
  if (over(request) || streaming_) return;
  streaming_ = true;
  if (http_1_0_) keep_alive_ = false;
  ErrorCode ignored;
  if (!writing_) socket_.cancel(ignored);  // the read, which continues without a buffer
  render_stream_head(out_, head, head_context());
  flush();
}

void Connection::write(std::uint64_t request, std::string_view bytes) {
  if (over(request) || !streaming_ || bytes.empty()) return;
  if (http_1_0_) {
    out_ += bytes;
  } else {
    render_chunk(out_, bytes);
  }
  flush();
}

void Connection::end_stream(std::uint64_t request) {
  if (over(request) || !streaming_) return;
  if (!http_1_0_) out_ += kLastChunk;
  finish_request();
}

std::size_t Connection::unsent() const {
  return out_.size() + wire_.size() + sending_.size() - sent_;
}

void Connection::on_closed(std::uint64_t request, std::function<void()> callback) {
  if (!over(request)) {
    closed_ = std::move(callback);
  } else if (request == cut_request_) {
    loop_->post(std::move(callback));
  }
}

void Connection::on_drained(std::uint64_t request, std::function<void()> callback) {
  if (!over(request)) drained_ = std::move(callback);
}

void Connection::after(std::uint64_t request, std::chrono::milliseconds delay,
                       std::function<void()> callback) {
  if (over(request)) return;
  if (!timer_) timer_.emplace(loop_->executor());
  timer_->expires_after(delay);
  timer_->async_wait(loop_->on_loop(
      [self = shared_from_this(), request, callback = std::move(callback)](const ErrorCode& error) {
        if (!error && !self->over(request)) callback();
      }));
}

/// Continues with the next request, unless the connection is closing.
void Connection::finish_request() {
  if (request_ % 2 == 1) ++request_;
  streaming_ = false;
  closed_ = nullptr;
  drained_ = nullptr;
  if (timer_) timer_->cancel();
  if (closed()) return;
  if (!keep_alive_) close_when_written_ = true;
  if (dispatching_) return;  // advance() continues and sends
  flush();
  if (closed()) return;
  // Posted, since the caller may be a callback that still uses this request.
  loop_->post([self = shared_from_this()] { self->resume(); });
}

// Writing

void Connection::flush() {
  while (!writing_ && !closed()) {
    if (sent_ == sending_.size()) {
      empty(sending_, streaming_ ? kKeptByStream : kKept);
      sent_ = 0;
      refill();
      if (sending_.empty()) return written();
    }
    ErrorCode error;
    sent_ += socket_.write_some(
        boost::asio::buffer(sending_.data() + sent_, sending_.size() - sent_), error);
    if (error == boost::asio::error::would_block) return write_rest();
    if (error) return close();
  }
}

/// Moves the next bytes to send into sending_.
void Connection::refill() {
  if (!tls_) return std::swap(out_, sending_);
  tls_->seal(out_, wire_);
  empty(out_, streaming_ ? kKeptByStream : kKept);
  std::swap(wire_, sending_);
}

void Connection::write_rest() {
  writing_ = true;
  write_deadline_ = std::chrono::steady_clock::now() + loop_->shared().limits.write_time;
  socket_.async_write_some(
      boost::asio::buffer(sending_.data() + sent_, sending_.size() - sent_),
      loop_->on_loop([self = shared_from_this()](const ErrorCode& error, std::size_t size) {
        self->writing_ = false;
        if (self->closed()) return;
        if (error) return self->close();
        const bool was_behind = self->is_behind();
        self->sent_ += size;
        self->flush();
        if (was_behind && !self->is_behind()) self->resume();
        if (self->writing_ || self->closed() || !self->drained_) return;
        // A copy, since the callback may end the request and with it drained_.
        const auto callback = self->drained_;
        callback();
      }));
}

void Connection::written() {
  if (!close_when_written_ || phase_ == Phase::kLingering) return;
  if (tls_ && !std::exchange(tls_ended_, true)) {
    tls_->end(wire_);
    if (!wire_.empty()) return flush();
  }
  linger();
}

/// Closing with unread bytes would reset the connection and could lose the response. So the sending
/// side is shut down, and bytes that still arrive are read and dropped for a while.
void Connection::linger() {
  if (client_ended_) return close();
  enter(Phase::kLingering);
  ErrorCode ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

}  // namespace quarry::http_server
