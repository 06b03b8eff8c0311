#pragma once

#include "runner/connection.h"
#include "runner/runner_count.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

namespace quarry::runner {

/// A runner that has opened the plugin, with the instances that were created in it. [any thread]
class RunningPlugin {
 public:
  /// `counted`: held while the runner exists; may be null.
  RunningPlugin(std::shared_ptr<Connection> connection, RunnerCount::Held counted)
      : counted_(std::move(counted)), connection_(std::move(connection)) {}
  /// Closes the plugin.
  ~RunningPlugin();
  RunningPlugin(const RunningPlugin&) = delete;
  RunningPlugin& operator=(const RunningPlugin&) = delete;

  [[nodiscard]] Connection& connection() const { return *connection_; }
  /// Creates instance `request.instance` with a request of Function::kCreate, unless it is there.
  Result<Answer> create(const Request& request);
  /// Destroys an instance, if it is there.
  void destroy(std::uint32_t instance);

 private:
  const RunnerCount::Held counted_;
  const std::shared_ptr<Connection> connection_;
  std::mutex mutex_;  // held while one is created
  std::set<std::uint32_t> instances_;
};

}  // namespace quarry::runner
