#include "loop.h"

#include "connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <netinet/tcp.h>
#include <sys/eventfd.h>

namespace quarry::http_server {
namespace {

using ErrorCode = boost::system::error_code;
using std::chrono::milliseconds;
using UnsentInKernel = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

// Jobs that run on the thread that dispatches them. With 0, 8 and 12 a relayed token cost more CPU
// time; without a limit the latency at 40,000 tokens a second was higher.
constexpr unsigned kInlineJobsPerMillisecond = 16;
constexpr std::size_t kContinuedAtOnce = 2;
// Pauses that end within this time end together, which saves timers. It is short, because the
// requests after them delay those of others.
constexpr milliseconds kPausesTogether{2};
// Connections beyond the limit that get a response with the reason; more are closed at once.
constexpr std::size_t kRefusedWithResponse = 64;
constexpr std::size_t kRefusedWithResponseOfPeer = 8;
constexpr std::size_t kSlices = 32;         // of a tick period, at most
constexpr std::size_t kCheckedAtOnce = 64;  // connections in a slice, at least
constexpr std::size_t kOldest = 64;  // idle connections that are compared before one is dropped
constexpr Refusal kTooMany{503, "connection limit reached", "Try again later."};
constexpr Refusal kTooManyOfPeer{503, "connection limit of this address reached",
                                 "Close some of them, or try again later."};

/// Short enough for the shortest timeout, long enough to cost nothing.
milliseconds tick_period(const Limits& limits) {
  const milliseconds shortest =
      std::min({limits.header_time, limits.body_time, limits.idle_time, limits.write_time});
  return std::clamp(shortest / 4, milliseconds(10), milliseconds(1000));
}

}  // namespace

void Shared::warn(std::string_view message) const {
  if (log != nullptr) log->write(log, QUARRY_LOG_WARNING, {message.data(), message.size()});
}

Loop::Loop(Shared& shared)
    : shared_(shared),
      tick_period_(tick_period(shared.limits)),
      wakeup_(io_.get_executor(), ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Loop::~Loop() = default;

void Loop::add(Acceptor acceptor) {
  listeners_.push_back({std::move(acceptor), Timer(io_.get_executor())});
}

void Loop::run() {
  on_loop([this] {
    wait_for_jobs();
    for (std::size_t i = 0; i < listeners_.size(); ++i) accept(i);
  })();
  while (!attempt([this] { io_.run(); })) {
  }
}

bool Loop::attempt(const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    shared_.warn(std::string("a request failed: ") + error.what());
    return false;
  }
}

/// Only the first job wakes the thread, which then also runs the jobs posted meanwhile.
void Loop::post(std::function<void()> job) {
  {
    const std::lock_guard lock(post_mutex_);
    if (ended_) return;
    jobs_.push_back(std::move(job));
    if (jobs_.size() > 1) return;
  }
  if (io_.get_executor().running_in_this_thread()) {
    return boost::asio::post(io_, on_loop([this] { run_jobs(); }));
  }
  ::eventfd_write(wakeup_.native_handle(), 1);
}

void Loop::dispatch(std::function<void()> job) {
  if (runs_here()) return post(std::move(job));
  if (const Turn turn(*this, std::try_to_lock); turn && may_run_inline()) {
    // Destroyed before the turn ends: it may own the last reference to a request's state, and the
    // server may stop as soon as the turn has ended.
    const std::function<void()> owned = std::move(job);
    if (!ended()) attempt(owned);
    return;
  }
  post(std::move(job));
}

/// True if the calling thread may run a job while the loop's thread sleeps. A thread that
/// dispatches many jobs leaves some of them to the loop's thread.
bool Loop::may_run_inline() {
  const auto now = std::chrono::floor<milliseconds>(std::chrono::steady_clock::now());
  if (now != std::exchange(inline_millisecond_, now)) inline_jobs_ = 0;
  return ++inline_jobs_ <= kInlineJobsPerMillisecond;
}

bool Loop::ended() {
  const std::lock_guard lock(post_mutex_);
  return ended_;
}

void Loop::wait_for_jobs() {
  if (is_over()) return;
  wakeup_.async_read_some(boost::asio::buffer(&wakeups_, sizeof wakeups_),
                          on_loop([self = shared_from_this()](const ErrorCode& error, std::size_t) {
                            if (error) return;
                            self->run_jobs();
                            self->wait_for_jobs();
                          }));
}

void Loop::run_jobs() {
  {
    const std::lock_guard lock(post_mutex_);
    running_.swap(jobs_);
  }
  for (const auto& job : running_) attempt(job);
  running_.clear();
}

void Loop::drain() {
  {
    const std::lock_guard lock(post_mutex_);
    ended_ = true;
  }
  on_loop([this] { run_jobs(); })();
  io_.restart();
  io_.poll();
}

void Loop::stop(milliseconds grace) {
  stopping_ = true;
  has_grace_ = grace > milliseconds(0);
  listeners_.clear();
  for (std::size_t i = connections_.size(); i-- > 0;) connections_[i]->wind_down();
  grace_.expires_after(grace);
  grace_.async_wait(on_loop([self = shared_from_this()](const ErrorCode& error) {
    if (error) return;
    for (std::size_t i = self->connections_.size(); i-- > 0;) self->connections_[i]->close();
  }));
  end_if_idle();
}

void Loop::end_if_idle() {
  if (!is_over()) return;
  grace_.cancel();
  tick_.cancel();
  pauses_end_.cancel();
  wakeup_.cancel();
  work_.reset();
}

void Loop::accept(std::size_t listener) {
  if (stopping_) return;
  listeners_[listener].acceptor.async_accept(on_loop([self = shared_from_this(), listener](
                                                         const ErrorCode& error, Socket socket) {
    if (self->stopping_ && (error || !self->has_grace_)) return;
    if (!error) {
      self->accepted(std::move(socket));
      return self->accept(listener);
    }
    self->shared_.warn("accepting a connection failed: " + error.message());
    Timer& again = self->listeners_[listener].again;
    again.expires_after(self->shared_.limits.accept_pause);
    again.async_wait(self->on_loop([self, listener](const ErrorCode&) { self->accept(listener); }));
  }));
}

void Loop::accepted(Socket socket) {
  ErrorCode ignored;
  const auto peer = socket.remote_endpoint(ignored).address();
  socket.non_blocking(true, ignored);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  // Otherwise the kernel buffers megabytes of responses that the client does not read.
  socket.set_option(UnsentInKernel(kMostUnsent), ignored);
  Peers::Place place = shared_.peers.take(peer);
  const std::size_t of_peer = place.connections();
  const std::size_t before = shared_.connections.fetch_add(1);
  if (before >= shared_.limits.connections + kRefusedWithResponse ||
      of_peer > shared_.peers.most() + kRefusedWithResponseOfPeer) {
    shared_.connections.fetch_sub(1);
    return;
  }
  auto connection =
      std::make_shared<Connection>(shared_from_this(), std::move(socket), peer, std::move(place));
  connection->index = connections_.size();
  connections_.push_back(connection);
  arm_tick();
  if (of_peer > shared_.peers.most()) return connection->start_refusing(kTooManyOfPeer);
  if (before >= shared_.limits.connections && !drop_idle()) {
    return connection->start_refusing(kTooMany);
  }
  connection->start();
  if (stopping_) connection->wind_down();  // its client was connected before the end
}

void Loop::now_idle(IdleEntry& connection) {
  connection.unlink();
  idle_.push_back(connection);
}

/// Closes one idle connection in favour of a new one: among those idle the longest, with all
/// responses sent, one of the peer with the most connections. False if there is none.
bool Loop::drop_idle() {
  Connection* worst = nullptr;
  std::size_t looked_at = 0;
  for (IdleEntry& entry : idle_) {
    auto& connection = static_cast<Connection&>(entry);
    if (++looked_at > kOldest) break;
    if (connection.unsent() > 0) continue;
    if (worst == nullptr || connection.of_same_peer() > worst->of_same_peer()) worst = &connection;
  }
  if (worst != nullptr) worst->close();
  return worst != nullptr;
}

void Loop::remove(Connection& connection) {
  const std::size_t index = connection.index;
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  connections_.pop_back();
  shared_.connections.fetch_sub(1);
  end_if_idle();
}

void Loop::continue_later(std::shared_ptr<Connection> connection) {
  continuing_.push_back(std::move(connection));
  if (!std::exchange(continues_, true)) post_continuation();
}

void Loop::post_continuation() {
  boost::asio::post(io_, on_loop([this] { continue_some(); }));
}

void Loop::continue_some() {
  for (std::size_t i = std::min(kContinuedAtOnce, continuing_.size()); i > 0; --i) {
    const auto connection = std::move(continuing_.front());
    continuing_.pop_front();
    attempt([&connection] { connection->continue_now(); });
  }
  continues_ = !continuing_.empty();
  if (continues_) post_continuation();
}

void Loop::pause(const std::shared_ptr<Connection>& connection) {
  pauses_.push_back(
      {std::chrono::steady_clock::now() + shared_.limits.rejection_pause, connection});
  if (pauses_.size() == 1) wait_for_pauses();
}

void Loop::wait_for_pauses() {
  pauses_end_.expires_at(pauses_.front().end + kPausesTogether);
  pauses_end_.async_wait(on_loop([self = shared_from_this()](const ErrorCode& error) {
    if (error) return;
    const Moment now = std::chrono::steady_clock::now();
    auto& pauses = self->pauses_;
    for (; !pauses.empty() && pauses.front().end <= now; pauses.pop_front()) {
      if (const auto connection = pauses.front().connection.lock()) connection->end_pause();
    }
    if (!pauses.empty()) self->wait_for_pauses();
  }));
}

void Loop::arm_tick() {
  if (ticking_ || (connections_.empty() && (stopping_ || !handler_waits_))) return;
  ticking_ = true;
  if (slice_ == 0)
    slices_ = std::clamp<std::size_t>(connections_.size() / kCheckedAtOnce, 1, kSlices);
  tick_.expires_after(std::chrono::microseconds(tick_period_) / slices_);
  tick_.async_wait(on_loop([self = shared_from_this()](const ErrorCode&) {
    self->ticking_ = false;
    self->check_slice();
    self->arm_tick();
  }));
}

void Loop::check_slice() {
  const Moment now = std::chrono::steady_clock::now();
  const std::size_t count = connections_.size();
  const std::size_t first = count * slice_ / slices_;
  // Backwards: a connection that closes is replaced by the last one, which waits for a later slice
  // if it was not in an earlier one.
  for (std::size_t i = count * (slice_ + 1) / slices_; i-- > first;) {
    if (i < connections_.size()) connections_[i]->check(now);
  }
  slice_ = connections_.empty() ? 0 : (slice_ + 1) % slices_;
  if (slice_ == 0) handler_waits_ = shared_.handler.tick();
}

}  // namespace quarry::http_server
