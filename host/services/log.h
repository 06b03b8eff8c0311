#pragma once

#include "services/journal.h"
#include "services/redactor.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::services {

/// The values are those of QUARRY_LOG_* in the SDK.
enum class Level : int { kDebug = 1, kInfo = 2, kWarning = 3, kError = 4 };

enum class LogFormat {
  kText,     ///< time, level, component, message, ids in brackets
  kJson,     ///< one object a line
  kJournal,  ///< entries of systemd's journal; text while no journal answers
};

/// The format for a log on `fd` that names none. `journal_stream`: the value of $JOURNAL_STREAM;
/// `serves`: programs read the log unless it is on a terminal.
[[nodiscard]] LogFormat format_for(int fd, const char* journal_stream, bool serves);

/// Lines for the operator: time (UTC), level, component, message, and the ids of what they are
/// about (LogScope); known secrets removed and control characters escaped, so that one message is
/// one line. Nobody waits long for a reader of the log: lines that it does not take in time are
/// lost, and a later line tells how many. [any thread]
class Log {
 public:
  struct Options {
    Level level = Level::kInfo;
    LogFormat format = LogFormat::kText;
    /// Receives each finished line with its newline, one at a time. Empty = `fd`.
    std::function<void(std::string_view line)> sink = nullptr;
    std::string journal = Journal::kSocket;
    int fd = 2;  ///< standard error; not owned
  };

  /// `redactor` must outlive the log.
  Log(Options options, const Redactor& redactor);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool enabled(Level level) const { return level >= level_; }
  /// `component`: "host" or the id of a plugin.
  void write(Level level, std::string_view component, std::string_view message) noexcept;

  void debug(std::string_view component, std::string_view message) noexcept {
    write(Level::kDebug, component, message);
  }
  void info(std::string_view component, std::string_view message) noexcept {
    write(Level::kInfo, component, message);
  }
  void warning(std::string_view component, std::string_view message) noexcept {
    write(Level::kWarning, component, message);
  }
  void error(std::string_view component, std::string_view message) noexcept {
    write(Level::kError, component, message);
  }

 private:
  class Backend;

  const Level level_;
  const std::unique_ptr<Backend> backend_;
};

}  // namespace quarry::services
