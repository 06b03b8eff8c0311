#pragma once

#include <chrono>
#include <cstdint>

namespace quarry::history {

using Time = std::chrono::system_clock::time_point;

/// A time in the file's format: milliseconds since 1970, UTC.
[[nodiscard]] inline std::int64_t to_milliseconds(Time time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}
[[nodiscard]] inline Time from_milliseconds(std::int64_t milliseconds) {
  return Time(std::chrono::milliseconds(milliseconds));
}

}  // namespace quarry::history
