#include "ask/progress_throttle.h"

#include <chrono>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::chrono::milliseconds kLeastDistance{100};

}  // namespace

void ProgressThrottle::report(const resources::Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!write_) return;
  const auto now = clock_.steady_now();
  last_ = progress;
  if (written_ && now - *written_ < kLeastDistance) return;
  written_ = now;
  write_(progress);
}

void ProgressThrottle::finish(std::string_view outcome) {
  const std::lock_guard lock(mutex_);
  const Write write = std::exchange(write_, nullptr);
  if (!write || !written_) return;
  last_.message = outcome;
  write(last_);
}

}  // namespace quarry::ask
