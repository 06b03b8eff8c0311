#pragma once

#include "base/clock.h"
#include "resources/library.h"

#include <functional>
#include <mutex>
#include <optional>

namespace quarry::ask {

/// Passes on the progress of one resource, ten times a second at most, and the last of it always.
/// Thread-safe.
class ProgressThinner {
 public:
  using Write = std::function<void(const resources::Progress&)>;
  ProgressThinner(const Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}

  void report(const resources::Progress& progress);
  /// Passes on what was held back; what is reported later is dropped.
  void finish();

 private:
  const Clock& clock_;
  std::mutex mutex_;
  Write write_;
  std::optional<Clock::Steady> written_;
  std::optional<resources::Progress> held_;
};

}  // namespace quarry::ask
