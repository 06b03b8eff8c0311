#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string_view>

namespace quarry::plugins {

/// The work a plugin is called for: when it is no longer wanted, until when it may take, and who
/// hears how far it is. Default: wanted for ever, nobody listens.
struct Call {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called on the plugin's thread with {"message", "done", "total"?} as the plugin wrote it; may
  /// be empty. Text that is no such object is dropped.
  std::function<void(std::string_view json)> progress;
};

}  // namespace quarry::plugins
