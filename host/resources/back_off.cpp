#include "resources/back_off.h"

#include <algorithm>
#include <utility>

namespace quarry::resources {

void BackOff::failed(std::string why, Duration took, Clock::Steady now) {
  const std::lock_guard lock(mutex_);
  length_ = std::min(std::max({kShortest, took, 2 * length_}), kLongest);
  until_ = now + length_;
  why_ = std::move(why);
}

void BackOff::answered() {
  const std::lock_guard lock(mutex_);
  length_ = {};
}

std::optional<BackOff::Pause> BackOff::pause(Clock::Steady now) const {
  const std::lock_guard lock(mutex_);
  if (length_ == Duration() || now >= until_) return std::nullopt;
  return Pause{why_, std::chrono::ceil<std::chrono::seconds>(until_ - now)};
}

}  // namespace quarry::resources
