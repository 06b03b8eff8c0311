#pragma once

#include "base/file.h"

#include <mutex>
#include <string>
#include <string_view>

namespace quarry::services {

// The journal of systemd by its native protocol: a datagram for each entry, or a sealed memory file
// for a large one (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).

/// One entry.
class JournalEntry {
 public:
  /// `name`: of A to Z, 0 to 9 and '_', which does not begin it.
  void add(std::string_view name, std::string_view value);
  /// As it is sent.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// The connection to the journal's daemon, made for the first entry and again when the daemon was
/// replaced. Thread-safe.
class Journal {
 public:
  static constexpr const char* kSocket = "/run/systemd/journal/socket";
  explicit Journal(std::string socket = kSocket) : path_(std::move(socket)) {}

  enum class Outcome {
    kSent,
    kFull,    ///< the daemon reads too slowly or not at all
    kNobody,  ///< no daemon answers
  };
  /// Waits at most 10 ms for a daemon that is slow, and not at all after one that stayed so.
  Outcome send(const JournalEntry& entry) noexcept;

 private:
  [[nodiscard]] bool connect();
  [[nodiscard]] int send_once(std::string_view bytes);

  const std::string path_;
  std::mutex mutex_;
  Fd socket_;
  bool full_ = false;  ///< the last entry was not taken
};

/// True if `fd` leads to the journal, as `journal_stream` tells: the value of $JOURNAL_STREAM,
/// which may be null (systemd.exec(5)).
[[nodiscard]] bool leads_to_journal(int fd, const char* journal_stream);

}  // namespace quarry::services
