#pragma once

#include "services/redactor.h"

#include <functional>
#include <memory>
#include <string_view>

namespace quarry::services {

/// The values are those of QUARRY_LOG_* in the SDK.
enum class Level : int { kDebug = 1, kInfo = 2, kWarning = 3, kError = 4 };

/// Lines for the operator: time (UTC), level, component, message; known secrets removed and control
/// characters escaped, so that one message is one line. [any thread]
class Log {
 public:
  struct Options {
    Level level = Level::kInfo;
    bool json = false;  ///< one object a line: time, level, component, message
    /// Receives each finished line with its newline, one at a time. Empty = standard error.
    std::function<void(std::string_view line)> sink = nullptr;
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
  struct Backend;
  const Level level_;
  const bool json_;
  const Redactor& redactor_;
  const std::unique_ptr<Backend> backend_;
};

}  // namespace quarry::services
