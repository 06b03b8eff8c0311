#pragma once

#include "base/clock.h"
#include "resources/library.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

namespace quarry::ask {

/// Passes on the progress of one resource, ten times a second at most, and how it ended.
/// Thread-safe.
class ProgressThrottle {
 public:
  using Write = std::function<void(const resources::Progress&)>;
  ProgressThrottle(const Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}

  void report(const resources::Progress& progress);
  /// Passes on `outcome` as the last message when there was any other; what is reported later is
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
