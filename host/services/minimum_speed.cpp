#include "services/minimum_speed.h"

namespace quarry::services {
namespace {

/// Text in the large unit (1000 small ones) if `count` is a multiple of it.
std::string amount(std::uint64_t count, const char* small, const char* large) {
  if (count % 1000 != 0) return std::to_string(count) + ' ' + small;
  return std::to_string(count / 1000) + ' ' + large;
}

}  // namespace

void SpeedWatch::begin(Time now) {
  bytes_ = 0;
  due_ = minimum_.bytes_per_second > 0 ? now + minimum_.window : Time::max();
}

bool SpeedWatch::is_too_slow(Time now) {
  if (now < due_) return false;
  const auto window = static_cast<std::uint64_t>(minimum_.window.count());
  if (bytes_ * 1000 < minimum_.bytes_per_second * window) return true;
  begin(now);
  return false;
}

std::string SpeedWatch::text() const {
  return "slower than " + amount(minimum_.bytes_per_second, "B/s", "kB/s") + " for " +
         amount(static_cast<std::uint64_t>(minimum_.window.count()), "ms", "s");
}

}  // namespace quarry::services
