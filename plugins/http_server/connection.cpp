#include "connection.h"

#include "address.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace quarry::http_server {
namespace {

using ErrorCode = boost::system::error_code;

constexpr Moment kNever = Moment::max();
// Bodies up to this size are not counted, so that most requests work while large bodies are held.
constexpr std::size_t kUncounted = 16 * 1024;
constexpr std::uint32_t kFreeRejections = 3;
constexpr Refusal kTooManyBodies{503, "the server is receiving too many large bodies",
                                 "Try again shortly."};
constexpr Refusal kNotAdmittedInTime{503, "the sender of the request could not be checked in time",
                                     "Try again shortly."};

Moment now() {
  return std::chrono::steady_clock::now();
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Connection::Connection(std::shared_ptr<Loop> loop, Socket socket,
                       const boost::asio::ip::address& peer, Peers::Place place)
    : loop_(std::move(loop)),
      socket_(std::move(socket)),
      parser_(loop_->shared().limits),
      place_(std::move(place)) {
  const Shared& shared = loop_->shared();
  if (shared.tls) {
    tls_ = shared.tls->begin([&](std::string_view problem) { shared.warn(problem); });
  }
  if (shared.names_peers) peer_ = canonical_ip(peer.to_string());
}

Connection::~Connection() = default;

void Connection::start() {
  // The time limit of a handshake is that of a header.
  enter(tls_ ? Phase::kHeader : Phase::kIdle);
  loop_->now_idle(*this);
  read();
}

void Connection::start_refusing(const Refusal& refusal) {
  if (tls_) return close();  // no response is possible before the handshake
  refuse(refusal);
  read();
}

void Connection::enter(Phase phase) {
  if (phase == phase_ && phase != Phase::kIdle) return;
  const Limits& limits = loop_->shared().limits;
  phase_ = phase;
  phase == Phase::kIdle ? loop_->now_idle(*this) : unlink();
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
      deadline_ = now() + limits.linger_time;
      break;
    case Phase::kAnswering:
    case Phase::kClosed:
      deadline_ = kNever;
      break;
  }
}

void Connection::check(Moment moment) {
  if (writing_ && moment >= write_deadline_) return close();
  if (moment >= deadline_) return time_out();
}

void Connection::time_out() {
  if (tls_ && !tls_->is_established()) return close();
  if (phase_ == Phase::kHeader) {
    refuse({408, "the header of the request took too long", {}});
  } else if (std::exchange(asks_admission_, false)) {
    const auto self = shared_from_this();  // refusing may close this
    refuse(kNotAdmittedInTime);
    read();
  } else if (phase_ == Phase::kBody) {
    refuse({408, "the body of the request took too long", {}});
  } else if (phase_ == Phase::kIdle && unsent() > 0) {
    enter(Phase::kIdle);  // the client is still reading; write_deadline_ applies
  } else {
    close();
  }
}

void Connection::wind_down() {
  keep_alive_ = false;
  if (phase_ == Phase::kIdle && request_ != 0) return close_when_written();
  if (phase_ == Phase::kIdle || phase_ == Phase::kHeader) {
    deadline_ = std::min(deadline_, now() + loop_->shared().limits.first_request_time);
  }
}

void Connection::close() {
  if (closed()) return;
  const auto self = shared_from_this();
  phase_ = Phase::kClosed;
  unlink();
  place_.reset();
  ErrorCode ignored;
  socket_.close(ignored);
  if (request_ % 2 == 1) cut_request_ = request_;
  auto callback = std::exchange(closed_, nullptr);
  finish_request();
  release_body();
  loop_->remove(*this);
  // Posted, since the caller may be inside a write for this request.
  if (cut_request_ != 0 && callback) loop_->post(std::move(callback));
}

// Reading

/// A client that does not read its responses is not served until it has.
bool Connection::is_behind() const {
  return unsent() > kMostUnsent;
}

bool Connection::may_read() const {
  return !reading_ && !client_ended_ && !closed() && !is_behind() && !asks_admission_ &&
         !yielded_ && !paused_ && (phase_ == Phase::kLingering || parser_.accepts_bytes());
}

bool Connection::may_advance() const {
  return request_ % 2 == 0 && phase_ != Phase::kLingering && !closed() && !close_when_written_ &&
         !is_behind() && !asks_admission_ && !yielded_ && !paused_;
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

/// A client that receives a stream sends little, and there are thousands of them, so none has a
/// read buffer.
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

/// Reads the rest of what filled the connection's own buffer, in one call.
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

/// Handles bytes as read from the socket.
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
  advance();
}

void Connection::received_end() {
  client_ended_ = true;
  if (asks_admission_) return;
  if (phase_ != Phase::kAnswering) return close_when_written();
  if (streaming_ || closed_) close();
}

void Connection::close_when_written() {
  close_when_written_ = true;
  if (writing_) return;
  if (phase_ == Phase::kLingering || !client_ended_) return close();
  flush();
}

/// Responses to pipelined requests are sent together, once no further request can be handled.
void Connection::advance() {
  while (may_advance()) {
    const std::uint64_t before = request_;
    switch (parser_.parse()) {
      case RequestParser::Step::kNeedMore:
        if (!out_.empty()) flush();
        if (closed()) return;
        if (client_ended_ || (parser_.idle() && loop_->stopping())) {
          return close_when_written();
        }
        enter(parser_.idle() ? Phase::kIdle : parser_.in_body() ? Phase::kBody : Phase::kHeader);
        if (!hold(parser_.held_body())) refuse(kTooManyBodies);
        return;
      case RequestParser::Step::kHead:
        if (refused_early()) return;
        enter(Phase::kBody);
        ask_admission();
        break;
      case RequestParser::Step::kComplete:
        dispatch();
        break;
      case RequestParser::Step::kRefused:
        return refuse(parser_.refusal());
    }
    if (is_behind()) flush();
    if (request_ != before && !parser_.idle() && may_advance()) return yield();
  }
  if (!out_.empty()) flush();
}

/// Lets other connections run first: between two pipelined requests, and after a pause.
void Connection::yield() {
  yielded_ = true;
  loop_->continue_later(shared_from_this());
}

void Connection::end_pause() {
  paused_ = false;
  yield();
}

void Connection::continue_now() {
  yielded_ = false;
  resume();
}

/// Continues after a request was answered or the client has read its responses.
void Connection::resume() {
  advance();
  read();
}

void Connection::begin_request() {
  const Request& request = parser_.request();
  take_id(request.id);
  http_1_0_ = request.http_1_0;
  head_only_ = request.method == "HEAD";
  keep_alive_ = parser_.keep_alive() && !loop_->stopping();
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

Request Connection::current_request() const {
  Request request = parser_.request();
  request.id = id_;
  request.peer = peer_;
  request.sender = sender_.get();
  return request;
}

void Connection::dispatch() {
  begin_request();
  ++request_;
  enter(Phase::kAnswering);
  dispatching_ = true;
  loop_->shared().handler.handle(current_request(), Responder(shared_from_this(), request_));
  dispatching_ = false;
  parser_.forget();
  release_body();
}

bool Connection::refused_early() {
  begin_request();
  const auto answer = loop_->shared().handler.refuse_early(current_request());
  if (answer) answer_and_close(*answer);
  return answer.has_value();
}

void Connection::ask_admission() {
  asks_admission_ = asking_ = true;
  loop_->shared().handler.admit(
      current_request(), [self = shared_from_this(), admission = ++admissions_](auto outcome) {
        if (self->loop_->runs_here()) return self->admitted(admission, std::move(outcome));
        self->loop_->post([self, admission, outcome = std::move(outcome)] {
          self->admitted(admission, outcome);
        });
      });
  asking_ = false;
}

void Connection::admitted(std::uint64_t admission,
                          std::expected<Handler::Sender, Response> outcome) {
  if (admission != admissions_ || !asks_admission_ || closed() || close_when_written_) return;
  asks_admission_ = false;
  if (outcome) {
    sender_ = std::move(*outcome);
    begin_body();
  } else {
    reject(outcome.error());
  }
  if (!asking_) resume();
}

void Connection::begin_body() {
  if (!may_hold(parser_.announced_body())) return refuse(kTooManyBodies);
  if (!parser_.expects_continue()) return;
  out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  flush();
}

/// True if `bytes` more fit into the limit of bodies that all connections hold together.
bool Connection::may_hold(std::uint64_t bytes) const {
  const Shared& shared = loop_->shared();
  return bytes <= kUncounted || bytes + shared.held_bodies <= shared.most_held();
}

/// Counts `bytes` as held of the current body; false if that exceeds the limit.
bool Connection::hold(std::size_t bytes) {
  Shared& shared = loop_->shared();
  const std::size_t counted = bytes > kUncounted ? bytes : 0;
  if (counted <= held_) return true;
  const std::size_t all = shared.held_bodies.fetch_add(counted - held_) + counted - held_;
  held_ = counted;
  return all <= shared.most_held();
}

void Connection::release_body() {
  sender_ = nullptr;
  if (held_ > 0) loop_->shared().held_bodies.fetch_sub(std::exchange(held_, 0));
}

/// Responds instead of reading the body. If the body has arrived already, the next request may
/// follow.
void Connection::reject(const Response& response) {
  if (parser_.parse() != RequestParser::Step::kComplete || !keep_alive_) {
    return answer_and_close(response);
  }
  request_ += 2;
  enter(Phase::kAnswering);
  render(out_, response, head_context(), head_only_);
  parser_.forget();
  slow_down();
  flush();
}

bool Connection::is_rejection(int status) {
  return status == 401 || status == 403 || status == 429;
}

/// Keeps a client that is rejected again and again from taking the processor of the others. Not on
/// a connection of a proxy, which may carry requests of many clients.
void Connection::slow_down() {
  if (of_same_peer() == 0 || ++rejected_ <= kFreeRejections) return;
  enter(Phase::kIdle);
  paused_ = true;
  loop_->pause(shared_from_this());
}

void Connection::refuse(const Refusal& refusal) {
  take_id({});
  http_1_0_ = head_only_ = false;
  Response response =
      loop_->shared().handler.describe({refusal.status, refusal.message, refusal.hint, id_, peer_});
  if (refusal.status == 503) response.headers += "Retry-After: 1\r\n";
  answer_and_close(response);
}

void Connection::answer_and_close(const Response& response) {
  keep_alive_ = false;
  close_when_written_ = true;
  deadline_ = kNever;  // write_deadline_ applies from here on
  render(out_, response, head_context(), head_only_);
  parser_.drop();
  release_body();
  flush();
}

}  // namespace quarry::http_server
