#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::runner {

/// Name of the list of quarantined files, in the state directory.
inline constexpr const char* kQuarantinedList = "quarantined-plugins";

/// When a plugin that crashes is started again.
struct CrashLimits {
  /// Crashes that count against the plugin, within Strikes::kWindow; the last of them is followed
  /// by a quarantine.
  std::size_t most = 3;
  /// Delay after the second of them, doubled with each further one; the first is followed by none.
  std::chrono::seconds first_delay{1};
  /// Crashes by one input within the window; then the plugin is not given it any more.
  std::size_t most_by_input = 3;
  /// Inputs that may crash the plugin within the window before further ones count against it.
  std::size_t most_inputs = 8;
  /// True: a quarantine ends only when the file changes or with release(); false: with the window.
  bool lasts = true;
};

/// Says that the plugin of this id is quarantined.
Error quarantined(const std::string& id, const CrashLimits& limits = {});

/// True if `list` (see Strikes) has a plugin's file of this SHA-256. [any]
bool is_quarantined(const std::filesystem::path& list, const std::string& sha256);

/// Takes a plugin's file of this SHA-256 from `list`, which ends its quarantine in every process.
/// False if it was not there. [any]
Result<bool> release(const std::filesystem::path& list, const std::string& sha256);

/// Crashes of one plugin's runners for one party. A crash counts against the input that caused it,
/// a resource and its version, and against the plugin if no input is known or too many inputs crash
/// it: then there is a delay before the next start, and after too many within kWindow a quarantine,
/// which ends when the plugin's file changes or release() was called. [any thread]
class Strikes {
 public:
  static constexpr std::chrono::minutes kWindow{10};

  /// `list`: file with the SHA-256 of quarantined files, one a line, shared with other processes;
  /// empty = this process alone remembers. `sha256`: of the plugin's file. `clock` must outlive
  /// this.
  Strikes(const Clock& clock, std::filesystem::path list, std::string sha256,
          CrashLimits limits = {});

  /// Counts a crash that `input` caused; empty = an unknown one. Returns the hint for its error.
  std::string add(std::string_view input = {});
  [[nodiscard]] bool quarantined();
  /// Time until the next start is permitted; 0 = now.
  [[nodiscard]] std::chrono::milliseconds wait() const;
  /// Crashes by the input within the window.
  [[nodiscard]] std::size_t by(std::string_view input) const;
  /// True once the plugin must not be given the input.
  [[nodiscard]] bool refuses(std::string_view input) const {
    return by(input) >= limits_.most_by_input;
  }
  /// True if no crash is within the window.
  [[nodiscard]] bool none() const;

 private:
  using Times = std::deque<Clock::Steady>;
  [[nodiscard]] bool write_list() const;
  [[nodiscard]] std::size_t recent(const Times& crashes) const;
  [[nodiscard]] Times* count_input(std::string_view input);

  const Clock& clock_;
  const std::filesystem::path list_;
  const std::string sha256_;
  const CrashLimits limits_;
  mutable std::mutex mutex_;
  Times crashes_;                          // that count against the plugin
  std::map<std::size_t, Times> by_input_;  // by its hash
  bool quarantined_ = false;
  bool listed_ = false;  // its quarantine is in the list, until release() takes it out
};

/// A crash of a runner with several calls in it, of which any may be the cause. Shared by their
/// repetitions: if none of them crashes, it counts against the plugin when the last one is over.
class UnexplainedCrash {
 public:
  explicit UnexplainedCrash(std::shared_ptr<Strikes> strikes) : strikes_(std::move(strikes)) {}
  ~UnexplainedCrash() {
    if (!explained_) strikes_->add();
  }
  UnexplainedCrash(const UnexplainedCrash&) = delete;
  UnexplainedCrash& operator=(const UnexplainedCrash&) = delete;
  /// One of the calls has crashed alone. [any thread]
  void explain() { explained_ = true; }

 private:
  const std::shared_ptr<Strikes> strikes_;
  std::atomic<bool> explained_ = false;
};

}  // namespace quarry::runner
