#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>

namespace quarry::plugins {

/// Cancellation, deadline and progress callback of one call into a plugin. Default: no
/// cancellation, no deadline, no callback.
struct Call {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called on the plugin's thread with {"message", "done", "total"?} as written by the plugin; may
  /// be empty. Text that is not such an object is dropped.
  std::function<void(std::string_view json)> progress;
};

}  // namespace quarry::plugins
