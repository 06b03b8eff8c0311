#pragma once

#include "peers.h"
#include "server.h"

#include <quarry/log.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/intrusive/list.hpp>

namespace quarry::http_server {

class Connection;

// One thread's worth of executor: concrete, so that nothing is erased or reference-counted.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Moment = std::chrono::steady_clock::time_point;

/// A connection's place in its loop's list of those that wait for a request; without one otherwise.
using IdleEntry = boost::intrusive::list_base_hook<
    boost::intrusive::link_mode<boost::intrusive::link_mode_type::auto_unlink>>;

/// What all loops of a server share.
struct Shared {
  Handler& handler;
  const quarry_log_v1* log;
  Limits limits;
  std::string id_prefix;  // of request ids, random for each server
  std::shared_ptr<TlsIdentity> tls;
  bool names_peers;
  Peers peers;
  std::atomic<std::uint64_t> next_id{1};
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> held_bodies{0};  // bytes

  /// Of bodies, in bytes; one body always fits.
  [[nodiscard]] std::size_t most_held() const {
    return std::max(limits.bodies_bytes, limits.body_bytes);
  }
  void warn(std::string_view message) const;
};

/// Sockets, their connections and time-outs, and a thread that waits for them. One thread at a time
/// is on the loop: its own while it has something to do, or one that brings something while the
/// other sleeps, which spares waking it. All but post, dispatch and the constructor are on the
/// loop.
class Loop : public std::enable_shared_from_this<Loop> {
 public:
  explicit Loop(Shared& shared);
  ~Loop();

  void add(Acceptor acceptor);
  /// Serves until stop has let the last connection go. The body of the thread.
  void run();
  /// Runs `job` on the loop, later; drops it once the loop has ended. [any thread]
  void post(std::function<void()> job);
  /// As post, but runs `job` at once when the loop has nothing to do. [any thread]
  void dispatch(std::function<void()> job);
  /// `handler`, to be called on the loop whatever thread calls it.
  template <class Handler>
  [[nodiscard]] auto on_loop(Handler handler);
  /// Begins the end; see Server::stop.
  void stop(std::chrono::milliseconds grace);
  /// Drops what was posted too late. After run returned, on any one thread.
  void drain();

  void remove(Connection& connection);
  /// The connection waits for a request from now on.
  void now_idle(IdleEntry& connection);
  [[nodiscard]] bool stopping() const { return stopping_; }
  [[nodiscard]] bool runs_here() const { return holder_.load() == std::this_thread::get_id(); }
  [[nodiscard]] Executor executor() { return io_.get_executor(); }
  [[nodiscard]] Shared& shared() { return shared_; }
  /// For one read of a connection: what is in it is used before anything else runs.
  [[nodiscard]] std::array<char, 16 * 1024>& read_buffer() { return read_buffer_; }

 private:
  /// Holds the loop for the calling thread as long as it lives.
  class Turn {
   public:
    explicit Turn(Loop& loop) : loop_(loop), lock_(loop.turn_) { take(); }
    Turn(Loop& loop, std::try_to_lock_t now) : loop_(loop), lock_(loop.turn_, now) {
      if (lock_) take();
    }
    ~Turn() {
      if (lock_) loop_.holder_.store({});
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return lock_.owns_lock(); }

   private:
    void take() { loop_.holder_.store(std::this_thread::get_id()); }
    Loop& loop_;
    const std::unique_lock<std::mutex> lock_;
  };

  [[nodiscard]] bool is_over() const { return stopping_ && connections_.empty(); }
  void wait_for_jobs();
  void run_jobs();
  [[nodiscard]] bool lends();
  [[nodiscard]] bool ended();
  /// Whether `body` came to its end; what it throws is told.
  bool attempt(const std::function<void()>& body);
  void accept(std::size_t acceptor);
  void accepted(Socket socket);
  [[nodiscard]] bool drop_idle();
  void arm_tick();
  void end_if_idle();

  Shared& shared_;
  std::mutex turn_;
  std::atomic<std::thread::id> holder_;  // of turn_
  Moment lent_at_;                       // the millisecond, under turn_
  unsigned lent_ = 0;                    // jobs of other threads in it, under turn_
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<Executor> work_{io_.get_executor()};
  std::vector<Acceptor> acceptors_;
  std::vector<std::shared_ptr<Connection>> connections_;  // each knows its index
  boost::intrusive::list<IdleEntry, boost::intrusive::constant_time_size<false>> idle_;  // by age
  Timer tick_{io_.get_executor()};
  Timer pause_{io_.get_executor()};  // before accepting again when descriptors have run out
  Timer grace_{io_.get_executor()};
  std::chrono::milliseconds tick_period_;
  std::array<char, 16 * 1024> read_buffer_;
  bool ticking_ = false;
  bool handler_waits_ = false;  // for the next tick
  bool stopping_ = false;
  // Rung outside of every lock: whoever it wakes takes the place of the ringing thread at once, and
  // would only wait for what that holds.
  boost::asio::posix::basic_stream_descriptor<Executor> bell_;
  std::uint64_t rings_ = 0;
  std::mutex post_mutex_;
  std::vector<std::function<void()>> jobs_;     // under post_mutex_
  bool ended_ = false;                          // under post_mutex_
  std::vector<std::function<void()>> running_;  // kept for its memory
};

template <class Handler>
auto Loop::on_loop(Handler handler) {
  return [this, handler = std::move(handler)](auto&&... results) mutable {
    const Turn turn(*this);
    handler(std::forward<decltype(results)>(results)...);
  };
}

}  // namespace quarry::http_server
