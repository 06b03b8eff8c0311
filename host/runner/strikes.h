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

/// Says that the plugin of this id is quarantined.
Error quarantined(const std::string& id);

/// True if `list` (see Strikes) has a plugin's file of this SHA-256. [any]
bool is_quarantined(const std::filesystem::path& list, const std::string& sha256);

/// Crashes of one plugin's runner: the delay before the next start, and the quarantine after
/// kMostCrashes within kWindow, which ends when the plugin's file changes. [any thread]
class Strikes {
 public:
  static constexpr std::size_t kMostCrashes = 3;
  static constexpr std::chrono::minutes kWindow{10};
  /// Delay after the second crash within the window; the first one is followed by none.
  static constexpr std::chrono::seconds kFirstDelay{1};

  /// `list`: file with the SHA-256 of quarantined files, one a line, shared with other processes;
  /// empty = this process alone remembers. `sha256`: of the plugin's file. `clock` must outlive
  /// this.
  Strikes(const Clock& clock, std::filesystem::path list, std::string sha256);

  /// Counts a crash. Returns the hint for its error.
  std::string add();
  [[nodiscard]] bool quarantined() const;
  /// Time until the next start is permitted; 0 = now.
  [[nodiscard]] std::chrono::milliseconds wait() const;

 private:
  void write_list() const;

  const Clock& clock_;
  const std::filesystem::path list_;
  const std::string sha256_;
  mutable std::mutex mutex_;
  std::deque<Clock::Steady> crashes_;  // within the window
  bool quarantined_ = false;
};

}  // namespace quarry::runner
