#pragma once

#include "peers.h"
#include "server.h"

#include <quarry/log.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
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

// A concrete executor, so that no type is erased and nothing is reference-counted.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Moment = std::chrono::steady_clock::time_point;

/// Link of a connection in its loop's list of idle connections; unlinked while it is not idle.
using IdleEntry = boost::intrusive::list_base_hook<
    boost::intrusive::link_mode<boost::intrusive::link_mode_type::auto_unlink>>;

/// State that all loops of a server share.
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

  /// Limit of held_bodies, in bytes; one body always fits.
  [[nodiscard]] std::size_t most_held() const {
    return std::max(limits.bodies_bytes, limits.body_bytes);
  }
  void warn(std::string_view message) const;
};

/// Listening sockets, their connections and timeouts, and a thread that waits for them. One thread
/// at a time runs on the loop: its own, or one that calls dispatch while the loop's own thread
/// sleeps, which saves waking it. All functions except post, dispatch and the constructor are
/// called on the loop.
class Loop : public std::enable_shared_from_this<Loop> {
 public:
  explicit Loop(Shared& shared);
  ~Loop();

  void add(Acceptor acceptor);
  /// Serves until stop was called and the last connection is closed. The body of the thread.
  void run();
  /// Runs `job` on the loop, later; drops it once the loop has ended. [any thread]
  void post(std::function<void()> job);
  /// Like post, but runs `job` at once if the loop is idle. [any thread]
  void dispatch(std::function<void()> job);
  /// Wraps `handler`, so that it runs on the loop whichever thread calls it.
  template <class Handler>
  [[nodiscard]] auto on_loop(Handler handler);
  /// Starts the shutdown; see Server::stop.
  void stop(std::chrono::milliseconds grace);
  /// Drops jobs posted too late. After run returned, on any one thread.
  void drain();

  void remove(Connection& connection);
  /// Adds a connection that waits for a request to the idle list.
  void now_idle(IdleEntry& connection);
  /// Calls Connection::continue_now after the events that are pending, for a few connections
  /// between two polls of the sockets: thousands that continue at once do not delay other requests.
  void continue_later(std::shared_ptr<Connection> connection);
  /// Calls Connection::end_pause after the pause of a rejected client.
  void pause(const std::shared_ptr<Connection>& connection);
  [[nodiscard]] bool stopping() const { return stopping_; }
  [[nodiscard]] bool runs_here() const { return holder_.load() == std::this_thread::get_id(); }
  [[nodiscard]] Executor executor() { return io_.get_executor(); }
  [[nodiscard]] Shared& shared() { return shared_; }
  /// Buffer for one read of a connection; its content is used before anything else runs.
  [[nodiscard]] std::array<char, 16 * 1024>& read_buffer() { return read_buffer_; }

 private:
  /// Exclusive use of the loop by the calling thread, for the lifetime of this object.
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
  void post_continuation();
  void continue_some();
  void wait_for_pauses();
  [[nodiscard]] bool may_run_inline();
  [[nodiscard]] bool ended();
  /// Runs `body`; logs what it throws and returns false then.
  bool attempt(const std::function<void()>& body);
  void accept(std::size_t listener);
  void accepted(Socket socket);
  [[nodiscard]] bool drop_idle();
  void arm_tick();
  void check_slice();
  void end_if_idle();

  Shared& shared_;
  std::mutex turn_;
  std::atomic<std::thread::id> holder_;  // of turn_
  Moment inline_millisecond_;            // the current one, under turn_
  unsigned inline_jobs_ = 0;             // run by other threads in it, under turn_
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<Executor> work_{io_.get_executor()};
  struct Listener {
    Acceptor acceptor;
    Timer again;  // before it accepts again when descriptors have run out
  };
  std::vector<Listener> listeners_;
  std::vector<std::shared_ptr<Connection>> connections_;  // each knows its index
  std::deque<std::shared_ptr<Connection>> continuing_;    // in the order of continue_later
  bool continues_ = false;                                // continue_some is posted
  struct Pause {
    Moment end;
    std::weak_ptr<Connection> connection;
  };
  std::deque<Pause> pauses_;  // by their end, since all are equally long
  boost::intrusive::list<IdleEntry, boost::intrusive::constant_time_size<false>> idle_;  // by age
  Timer tick_{io_.get_executor()};
  Timer pauses_end_{io_.get_executor()};  // of the first of pauses_, while there is one
  Timer grace_{io_.get_executor()};
  std::chrono::milliseconds tick_period_;
  std::array<char, 16 * 1024> read_buffer_;
  bool ticking_ = false;
  // A tick period has slices, each of which checks a part of the connections: the many that have
  // timed out together do not delay the requests of others.
  std::size_t slices_ = 1;
  std::size_t slice_ = 0;
  bool handler_waits_ = false;  // for the next tick
  bool stopping_ = false;
  bool has_grace_ = false;  // while stopping_
  // An eventfd, written without any lock held: the thread it wakes may replace the writing thread
  // at once, and would only wait for that lock.
  boost::asio::posix::basic_stream_descriptor<Executor> wakeup_;
  std::uint64_t wakeups_ = 0;
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
