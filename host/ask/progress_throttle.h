#pragma once

#include "base/clock.h"
#include "resources/library.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

namespace quarry::ask {

/// Passes on the progress of one resource, at most ten times a second, and its outcome.
/// Thread-safe.
class ProgressThrottle {
 public:
  using Write = std::function<void(const resources::Progress&)>;
  ProgressThrottle(const Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}

  void report(const resources::Progress& progress);
  /// Passes on `outcome` as the last message if there was an earlier one. Later reports are
  /// dropped.
  void finish(std::string_view outcome);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  Write write_;
  std::optional<Clock::Steady> written_;
  resources::Progress last_;
};

}  // namespace quarry::ask
