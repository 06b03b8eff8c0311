/// The loop that serves all connections.
#ifndef TRANSPORT_LINES_SERVER_H
#define TRANSPORT_LINES_SERVER_H

#include "connection.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

namespace transport_lines {

class Server {
 public:
  static constexpr std::size_t kMostConnections = 16;

  Server(const quarry_engine* engine, ListeningSocket socket);

  /// Serves until stop; on a thread of its own.
  void run();
  /// Ends the loop: running requests have `grace` to finish, then they are cancelled. Any thread,
  /// once.
  void stop(std::chrono::milliseconds grace);

 private:
  using Clock = std::chrono::steady_clock;

  void poll_once();
  [[nodiscard]] int timeout() const;
  void begin_stop();
  void accept_all();
  void take_mail();
  void remove_done();
  void end_all();
  [[nodiscard]] bool stopped() const;

  const quarry_engine* const engine_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::optional<ListeningSocket> socket_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t last_number_ = 0;
  bool accept_paused_ = false;  ///< no descriptor was left
  std::atomic<bool> stopping_ = false;
  Clock::time_point deadline_;  ///< set before stopping_
};

}  // namespace transport_lines

#endif
