#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "plugins/manifest.h"
#include "runner/connection.h"
#include "runner/function_name.h"
#include "runner/own_places.h"
#include "runner/strikes.h"

#include <quarry/abi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace quarry::runner {

/// Options for plugins that run in a process of their own.
struct RunnerOptions {
  /// Program that calls run_plugin() (child.h) with kRunnerSocket.
  std::vector<std::string> command;
  const Clock* clock = nullptr;                 ///< outlives every plugin
  std::filesystem::path quarantined_list = {};  ///< see Strikes
  CrashLimits crashes = {};
  /// Called with the plugin's id when its runner crashes; null = nobody. [any thread]
  std::function<void(const std::string& plugin)> crashed = nullptr;
  std::uint64_t memory = 1ull << 30;  ///< private memory of a runner in bytes; 0 = no limit
  // As in ConnectionOptions.
  std::chrono::milliseconds start_limit{10'000};
  std::function<std::chrono::milliseconds(Function)> call_limit = limit_of;
  std::chrono::milliseconds grace = kGrace;
  services::IoThread* io = nullptr;  ///< calls exchanges without waiting; null = none
};

/// The runner of one plugin: starts it when it is needed, again after a crash, and not any more
/// while it is quarantined. [any thread]
class Runner {
 public:
  Runner(plugins::Manifest manifest, const RunnerOptions& options);
  /// Closes the plugin.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Host that the plugin is opened with; borrowed. Before the first use.
  void offer(const quarry_host& host);
  /// A connection to the running plugin, which is open. `generation` grows with every start.
  struct Running {
    std::shared_ptr<Connection> connection;
    std::uint64_t generation = 0;
  };
  Result<Running> running();
  /// kUnavailable during the delay after a crash, kPermissionDenied while it is quarantined.
  [[nodiscard]] Status ready();
  /// A number for an instance, unique in this runner.
  std::uint32_t next_instance();
  [[nodiscard]] const plugins::Manifest& manifest() const { return manifest_; }
  /// Directories of the plugin, known once it was started.
  [[nodiscard]] const OwnPlaces& places() const { return places_; }

 private:
  /// Returns the hint for the error of calls.
  std::string count_crash();
  Result<std::shared_ptr<Connection>> start();
  [[nodiscard]] Status check_may_start();
  [[nodiscard]] Hello hello() const;

  const plugins::Manifest manifest_;
  const RunnerOptions options_;
  Strikes strikes_;
  std::mutex mutex_;
  const quarry_host* host_ = nullptr;
  OwnPlaces places_;
  Running running_;
  std::uint32_t last_instance_ = 0;
};

}  // namespace quarry::runner
