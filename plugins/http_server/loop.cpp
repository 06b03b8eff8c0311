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

constexpr milliseconds kAcceptPause{100};
// Jobs that run on the thread that brings them. With 0, 8 and 12 a relayed token cost more; without
// a limit 40,000 tokens a second came later.
constexpr unsigned kLentAMillisecond = 16;
// So many beyond the limit are still told why they are refused; the rest is closed at once.
constexpr std::size_t kRefusedPolitely = 64;
constexpr std::size_t kRefusedPolitelyOfPeer = 8;
constexpr std::size_t kOldest = 64;  // idle connections that are compared before one is dropped
constexpr Refusal kTooMany{503, "the server has as many connections as it bears",
                           "Try again later."};
constexpr Refusal kTooManyOfPeer{503, "this address has as many connections as one may",
                                 "Close some of them, or try again later."};

/// Fine enough for the shortest time-out, coarse enough to cost nothing.
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
      bell_(io_.get_executor(), ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Loop::~Loop() = default;

void Loop::add(Acceptor acceptor) {
  acceptors_.push_back(std::move(acceptor));
}

void Loop::run() {
  on_loop([this] {
    wait_for_jobs();
    for (std::size_t i = 0; i < acceptors_.size(); ++i) accept(i);
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

/// The thread is woken by the first job only, and takes with it what comes until it runs.
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
  ::eventfd_write(bell_.native_handle(), 1);
}

void Loop::dispatch(std::function<void()> job) {
  if (runs_here()) return post(std::move(job));
  if (const Turn turn(*this, std::try_to_lock); turn && lends()) {
    if (!ended()) attempt(job);
    return;
  }
  post(std::move(job));
}

/// Whether the loop's thread may sleep on. A thread that brings much gets the help of a second one.
bool Loop::lends() {
  const auto now = std::chrono::floor<milliseconds>(std::chrono::steady_clock::now());
  if (now != std::exchange(lent_at_, now)) lent_ = 0;
  return ++lent_ <= kLentAMillisecond;
}

bool Loop::ended() {
  const std::lock_guard lock(post_mutex_);
  return ended_;
}

void Loop::wait_for_jobs() {
  if (is_over()) return;
  bell_.async_read_some(boost::asio::buffer(&rings_, sizeof rings_),
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
  acceptors_.clear();
  pause_.cancel();
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
  bell_.cancel();
  work_.reset();
}

void Loop::accept(std::size_t acceptor) {
  if (stopping_) return;
  acceptors_[acceptor].async_accept(
      on_loop([self = shared_from_this(), acceptor](const ErrorCode& error, Socket socket) {
        if (self->stopping_) return;
        if (!error) {
          self->accepted(std::move(socket));
          return self->accept(acceptor);
        }
        self->shared_.warn("accepting a connection failed: " + error.message());
        self->pause_.expires_after(kAcceptPause);
        self->pause_.async_wait(
            self->on_loop([self, acceptor](const ErrorCode&) { self->accept(acceptor); }));
      }));
}

void Loop::accepted(Socket socket) {
  ErrorCode ignored;
  const auto peer = socket.remote_endpoint(ignored).address();
  socket.non_blocking(true, ignored);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  // Else the kernel takes megabytes of answers that nobody reads.
  socket.set_option(UnsentInKernel(kMostUnsent), ignored);
  Peers::Place place = shared_.peers.take(peer);
  const std::size_t of_peer = place.connections();
  const std::size_t before = shared_.connections.fetch_add(1);
  if (before >= shared_.limits.connections + kRefusedPolitely ||
      of_peer > shared_.peers.most() + kRefusedPolitelyOfPeer) {
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
}

void Loop::now_idle(IdleEntry& connection) {
  connection.unlink();
  idle_.push_back(connection);
}

/// Makes room for a connection: drops the idle one whose peer has the most, of those that have been
/// idle the longest and have taken all their answers.
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

void Loop::arm_tick() {
  if (ticking_ || (connections_.empty() && (stopping_ || !handler_waits_))) return;
  ticking_ = true;
  tick_.expires_after(tick_period_);
  tick_.async_wait(on_loop([self = shared_from_this()](const ErrorCode&) {
    self->ticking_ = false;
    const Moment now = std::chrono::steady_clock::now();
    // Backwards: a connection that closes is replaced by the last one.
    for (std::size_t i = self->connections_.size(); i-- > 0;) self->connections_[i]->check(now);
    self->handler_waits_ = self->shared_.handler.tick();
    self->arm_tick();
  }));
}

}  // namespace quarry::http_server
