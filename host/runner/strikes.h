#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>

namespace quarry::runner {

/// Name of the list of quarantined files, in the state directory.
inline constexpr const char* kQuarantinedList = "quarantined-plugins";

/// When a plugin that crashes is started again.
struct CrashLimits {
  std::size_t most = 3;  ///< within Strikes::kWindow; the last of them is followed by a quarantine
  /// Delay after the second crash, doubled with each further one; the first is followed by none.
  std::chrono::seconds first_delay{1};
};

/// Says that the plugin of this id is quarantined.
Error quarantined(const std::string& id, const CrashLimits& limits = {});

/// True if `list` (see Strikes) has a plugin's file of this SHA-256. [any]
bool is_quarantined(const std::filesystem::path& list, const std::string& sha256);

/// Takes a plugin's file of this SHA-256 from `list`, which ends its quarantine in every process.
/// False if it was not there. [any]
Result<bool> release(const std::filesystem::path& list, const std::string& sha256);

/// Crashes of one plugin's runner: the delay before the next start, and the quarantine
/// after too many within kWindow, which ends when the plugin's file changes or release() was
/// called. [any thread]
class Strikes {
 public:
  static constexpr std::chrono::minutes kWindow{10};

  /// `list`: file with the SHA-256 of quarantined files, one a line, shared with other processes;
  /// empty = this process alone remembers. `sha256`: of the plugin's file. `clock` must outlive
  /// this.
  Strikes(const Clock& clock, std::filesystem::path list, std::string sha256,
          CrashLimits limits = {});

  /// Counts a crash. Returns the hint for its error.
  std::string add();
  [[nodiscard]] bool quarantined();
  /// Time until the next start is permitted; 0 = now.
  [[nodiscard]] std::chrono::milliseconds wait() const;

 private:
  [[nodiscard]] bool write_list() const;

  const Clock& clock_;
  const std::filesystem::path list_;
  const std::string sha256_;
  const CrashLimits limits_;
  mutable std::mutex mutex_;
  std::deque<Clock::Steady> crashes_;  // within the window
  bool quarantined_ = false;
  bool listed_ = false;  // its quarantine is in the list, until release() takes it out
};

}  // namespace quarry::runner
