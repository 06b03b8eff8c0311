/// A running request: its reply and its reader, which the engine uses on threads of its own.
#ifndef TRANSPORT_LINES_EXCHANGE_H
#define TRANSPORT_LINES_EXCHANGE_H

#include "protocol.h"
#include "socket.h"

#include <quarry/transport.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace transport_lines {

class Exchange;

/// What the engine's threads have for the loop, which polls the descriptor. Any thread.
class Mailbox {
 public:
  /// Throws std::system_error when no descriptor is left.
  Mailbox();
  [[nodiscard]] int descriptor() const { return event_.get(); }
  void post(std::shared_ptr<Exchange> exchange);
  /// Wakes the loop without an exchange.
  void wake();
  /// The exchanges that were posted since the last call, each perhaps several times.
  std::vector<std::shared_ptr<Exchange>> take();
  /// Drops what is posted, now and later.
  void close();
  /// Counts calls of the engine whose reply is not used yet.
  void count_call() { ++calls_; }
  void count_reply();
  [[nodiscard]] int calls() const { return calls_; }

 private:
  Descriptor event_;
  std::atomic<int> calls_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> posted_;
  bool closed_ = false;
};

/// Lives until its reply was used, even if its client has left. The loop's thread alone, except for
/// the engine's callbacks.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(const quarry_engine* engine, std::shared_ptr<Mailbox> mailbox, std::uint64_t client,
           Request request);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { close(); }

  void start();
  /// Asks the engine to end it; it still ends with a line.
  void cancel();
  /// Ends it without a line: its client has left.
  void abandon();
  /// Appends lines to `output` until it has `most` bytes or the engine has no more yet; true after
  /// the last line.
  bool write(std::string& output, std::size_t most);

  [[nodiscard]] std::uint64_t client() const { return client_; }
  [[nodiscard]] const std::string& id() const { return request_.id; }
  [[nodiscard]] bool replied();

 private:
  static Exchange& of(void* context) { return *static_cast<Exchange*>(context); }
  static void keep_value(const quarry_reply* reply, quarry_text json) noexcept;
  static void keep_failure(const quarry_reply* reply, const quarry_failure* failure) noexcept;
  void finish(quarry::Outcome<std::string> outcome);
  std::optional<quarry::Outcome<std::string>> outcome();
  /// Opens the reader of an accepted question; false when the question no longer exists.
  bool open_reader(const std::string& value);
  bool write_events(std::string& output, std::size_t most);
  void stop_question();
  void close();

  const quarry_engine* const engine_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::uint64_t client_;
  const Request request_;
  const quarry_reply reply_;
  std::uint64_t handle_ = 0;
  quarry_reader* reader_ = nullptr;
  std::string result_;  ///< of the accepted question
  bool cancelled_ = false;
  std::mutex mutex_;  ///< guards the members below
  std::optional<quarry::Outcome<std::string>> outcome_;
  std::shared_ptr<Exchange> self_;  ///< until the reply is used
};

}  // namespace transport_lines

#endif
