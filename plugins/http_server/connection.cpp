#include "connection.h"

#include "buffer.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace quarry::http_server {
namespace {

using ErrorCode = boost::system::error_code;

constexpr std::chrono::seconds kLingerTime{2};
// Bytes of a buffer that are kept for what comes next.
constexpr std::size_t kKept = 16 * 1024;
constexpr std::size_t kKeptByStream = 512;  // a few tokens; of thousands of streams
constexpr Moment kNever = Moment::max();

Moment now() {
  return std::chrono::steady_clock::now();
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Connection::Connection(std::shared_ptr<Loop> loop, Socket socket)
    : loop_(std::move(loop)), socket_(std::move(socket)), parser_(loop_->shared().limits) {
  const Shared& shared = loop_->shared();
  if (shared.tls) {
    tls_ = shared.tls->begin([&](std::string_view problem) { shared.warn(problem); });
  }
  if (!shared.names_peers) return;
  ErrorCode error;
  const auto peer = socket_.remote_endpoint(error);
  if (!error) peer_ = peer.address().to_string();
}

Connection::~Connection() = default;

void Connection::start() {
  // A handshake takes no longer than a header may.
  enter(tls_ ? Phase::kHeader : Phase::kIdle);
  read();
}

void Connection::start_refusing() {
  if (tls_) return close();  // before a handshake nothing can be said
  refuse({503, "the server has as many connections as it bears", "Try again later."});
  read();
}

void Connection::enter(Phase phase) {
  if (phase == phase_ && phase != Phase::kIdle) return;
  const Limits& limits = loop_->shared().limits;
  phase_ = phase;
  switch (phase) {
    case Phase::kIdle:
      deadline_ = now() + limits.idle_time;
      break;
    case Phase::kHeader:
      deadline_ = now() + limits.header_time;
      break;
    case Phase::kBody:
      deadline_ = now() + limits.body_time;
      break;
    case Phase::kLingering:
      deadline_ = now() + kLingerTime;
      break;
    case Phase::kAnswering:
    case Phase::kClosed:
      deadline_ = kNever;
      break;
  }
}

void Connection::check(Moment moment) {
  if (writing_ && moment >= write_deadline_) return close();
  if (moment >= deadline_) time_out();
}

void Connection::time_out() {
  if (tls_ && !tls_->is_established()) return close();
  if (phase_ == Phase::kHeader) {
    refuse({408, "the header of the request took too long", {}});
  } else if (phase_ == Phase::kBody) {
    refuse({408, "the body of the request took too long", {}});
  } else {
    close();
  }
}

void Connection::wind_down() {
  keep_alive_ = false;
  if (phase_ == Phase::kIdle || phase_ == Phase::kHeader) close();
}

void Connection::close() {
  if (closed()) return;
  const auto self = shared_from_this();
  phase_ = Phase::kClosed;
  ErrorCode ignored;
  socket_.close(ignored);
  if (request_ % 2 == 1) cut_request_ = request_;
  auto callback = std::exchange(closed_, nullptr);
  finish_request();
  loop_->remove(*this);
  // Later, since the caller may be in the middle of a write for this very request.
  if (cut_request_ != 0 && callback) loop_->post(std::move(callback));
}

// Reading

bool Connection::may_read() const {
  return !reading_ && !client_ended_ && !closed() &&
         (phase_ == Phase::kLingering || parser_.has_room());
}

void Connection::read() {
  if (!may_read()) return;
  reading_ = true;
  if (streaming_) return wait_for_bytes();
  if (!incoming_) incoming_ = std::make_unique_for_overwrite<decltype(incoming_)::element_type>();
  socket_.async_read_some(
      boost::asio::buffer(*incoming_),
      loop_->on_loop([self = shared_from_this()](const ErrorCode& error, std::size_t size) {
        self->reading_ = false;
        if (self->closed()) return;
        if (error == boost::asio::error::operation_aborted) return self->read();
        if (error == boost::asio::error::eof) return self->received_end();
        if (error) return self->close();
        self->arrived({self->incoming_->data(), size});
        if (size == self->incoming_->size()) self->read_waiting();
        self->read();
      }));
}

/// A client that takes a stream says little, and there are thousands of them: none has a buffer.
void Connection::wait_for_bytes() {
  incoming_.reset();
  socket_.async_wait(Socket::wait_read,
                     loop_->on_loop([self = shared_from_this()](const ErrorCode& error) {
                       self->reading_ = false;
                       if (self->closed()) return;
                       if (error) return self->close();
                       self->read_waiting();
                       self->read();
                     }));
}

/// Takes more of what filled the connection's own buffer, in one piece.
void Connection::read_waiting() {
  if (!may_read()) return;
  ErrorCode error;
  const auto buffer = boost::asio::buffer(loop_->read_buffer());
  const std::size_t size = socket_.read_some(buffer, error);
  if (error == boost::asio::error::would_block) return;
  if (error == boost::asio::error::eof) return received_end();
  if (error) return close();
  arrived({static_cast<const char*>(buffer.data()), size});
}

/// Bytes as the socket has them.
void Connection::arrived(std::string_view bytes) {
  if (!tls_) return received(bytes);
  const bool was_established = tls_->is_established();
  std::string plain;
  const TlsSession::State state = tls_->receive(bytes, plain, wire_);
  if (!was_established && tls_->is_established()) enter(Phase::kIdle);
  flush();
  if (!plain.empty() && !closed()) received(plain);
  if (closed() || state == TlsSession::State::kOpen) return;
  if (state == TlsSession::State::kFailed) return close();
  received_end();
}

void Connection::received(std::string_view bytes) {
  if (phase_ == Phase::kLingering || close_when_written_) return;
  parser_.append(bytes);
  if (request_ % 2 == 0) advance();
}

void Connection::received_end() {
  client_ended_ = true;
  keep_alive_ = false;
  if (phase_ != Phase::kAnswering) return close_when_written();
  if (streaming_ || closed_) close();
}

void Connection::close_when_written() {
  close_when_written_ = true;
  if (!writing_) close();
}

void Connection::advance() {
  while (request_ % 2 == 0 && phase_ != Phase::kLingering && !closed()) {
    if (close_when_written_) return;
    switch (parser_.parse()) {
      case RequestParser::Step::kNeedMore:
        if (client_ended_ || (parser_.idle() && loop_->stopping())) {
          return close_when_written();
        }
        enter(parser_.idle() ? Phase::kIdle : parser_.in_body() ? Phase::kBody : Phase::kHeader);
        return;
      case RequestParser::Step::kHead:
        if (refused_early()) return;
        enter(Phase::kBody);
        if (parser_.expects_continue()) {
          out_ += "HTTP/1.1 100 Continue\r\n\r\n";
          flush();
        }
        break;
      case RequestParser::Step::kComplete:
        dispatch();
        break;
      case RequestParser::Step::kRefused:
        return refuse(parser_.refusal());
    }
  }
}

void Connection::begin_request() {
  const Request& request = parser_.request();
  take_id(request.id);
  http_1_0_ = request.http_1_0;
  head_only_ = request.method == "HEAD";
  keep_alive_ = parser_.keep_alive() && !client_ended_ && !loop_->stopping();
}

void Connection::take_id(std::string_view offered) {
  if (is_request_id(offered)) {
    id_ = offered;
    return;
  }
  Shared& shared = loop_->shared();
  id_ = shared.id_prefix;
  id_ += std::to_string(shared.next_id.fetch_add(1, std::memory_order_relaxed));
}

void Connection::dispatch() {
  begin_request();
  ++request_;
  enter(Phase::kAnswering);
  Request request = parser_.request();
  request.id = id_;
  request.peer = peer_;
  dispatching_ = true;
  loop_->shared().handler.handle(request, Responder(shared_from_this(), request_));
  dispatching_ = false;
  parser_.forget();
}

bool Connection::refused_early() {
  begin_request();
  Request request = parser_.request();
  request.id = id_;
  request.peer = peer_;
  const auto answer = loop_->shared().handler.refuse_early(request);
  if (answer) answer_and_close(*answer);
  return answer.has_value();
}

void Connection::refuse(const Refusal& refusal) {
  take_id({});
  http_1_0_ = head_only_ = false;
  answer_and_close(loop_->shared().handler.describe(refusal));
}

void Connection::answer_and_close(const Response& response) {
  keep_alive_ = false;
  close_when_written_ = true;
  deadline_ = kNever;  // from here on the time for writing counts
  render(out_, response, head_context(), head_only_);
  flush();
}

// Answering

bool Connection::over(std::uint64_t request) const {
  return request != request_ || closed();
}

HeadContext Connection::head_context() const {
  return {id_, http_1_0_, keep_alive_};
}

void Connection::send(std::uint64_t request, const Response& response) {
  if (over(request) || streaming_) return;
  if (response.close) keep_alive_ = false;
  render(out_, response, head_context(), head_only_);
  finish_request();
}

void Connection::start_stream(std::uint64_t request, const Response& head) {
  if (over(request) || streaming_) return;
  streaming_ = true;
  if (http_1_0_) keep_alive_ = false;
  ErrorCode ignored;
  if (!writing_) socket_.cancel(ignored);  // the read, which goes on without a buffer
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

/// Goes on with the next request, unless there is to be none.
void Connection::finish_request() {
  if (request_ % 2 == 1) ++request_;
  streaming_ = false;
  closed_ = nullptr;
  drained_ = nullptr;
  if (timer_) timer_->cancel();
  if (closed()) return;
  if (!keep_alive_) close_when_written_ = true;
  flush();
  if (dispatching_ || closed()) return;
  // Not from here: the caller may be a callback that still uses this request.
  loop_->post([self = shared_from_this()] {
    if (self->request_ % 2 == 0) self->advance();
    self->read();
  });
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

/// Takes what is to go to the socket next.
void Connection::refill() {
  if (!tls_) return std::swap(out_, sending_);
  tls_->seal(out_, wire_);
  empty(out_, streaming_ ? kKeptByStream : kKept);
  std::swap(wire_, sending_);
}

void Connection::write_rest() {
  writing_ = true;
  write_deadline_ = now() + loop_->shared().limits.write_time;
  socket_.async_write_some(
      boost::asio::buffer(sending_.data() + sent_, sending_.size() - sent_),
      loop_->on_loop([self = shared_from_this()](const ErrorCode& error, std::size_t size) {
        self->writing_ = false;
        if (self->closed()) return;
        if (error) return self->close();
        self->sent_ += size;
        self->flush();
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

/// Closing with unread bytes would reset the connection and could take the answer with it: so the
/// sending side is shut, and what still comes is read and dropped for a while.
void Connection::linger() {
  if (client_ended_) return close();
  enter(Phase::kLingering);
  ErrorCode ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

}  // namespace quarry::http_server
