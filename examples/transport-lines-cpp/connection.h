/// One client: its lines, its running requests, its output.
#ifndef TRANSPORT_LINES_CONNECTION_H
#define TRANSPORT_LINES_CONNECTION_H

#include "exchange.h"

#include <map>
#include <memory>
#include <string>

namespace transport_lines {

/// Used by the loop alone. While the client does not read, nothing more is read from it or from its
/// questions, so that a slow client costs a bounded amount of memory and delays nobody else.
class Connection {
 public:
  static constexpr std::size_t kMostRequests = 16;  ///< running at once

  Connection(const quarry_engine* engine, std::shared_ptr<Mailbox> mailbox, std::uint64_t number,
             Descriptor socket);
  Connection(Connection&&) = delete;
  ~Connection();

  /// The events to poll for.
  [[nodiscard]] short wanted() const;
  [[nodiscard]] int descriptor() const { return socket_.get(); }

  void on_readable();
  /// Writes what the engine has for the running requests.
  void write_exchanges();
  /// Takes no more requests.
  void close_input() { input_closed_ = true; }
  void fail() { failed_ = true; }
  /// True when the client has left, or all that it asked for is sent and nothing more can come.
  [[nodiscard]] bool done() const;

 private:
  void take_line(const std::string& line);
  void start(Request request);
  void cancel(const Request& request);
  void send();

  const quarry_engine* const engine_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::uint64_t number_;
  const Descriptor socket_;
  LineReader input_;
  std::string output_;
  std::map<std::string, std::shared_ptr<Exchange>> exchanges_;  ///< by id
  bool input_closed_ = false;
  bool failed_ = false;
};

}  // namespace transport_lines

#endif
