#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "plugins/manifest.h"
#include "runner/connection.h"
#include "runner/function_name.h"
#include "runner/own_places.h"
#include "runner/runner_count.h"
#include "runner/running_plugin.h"
#include "runner/sandbox.h"
#include "runner/strikes.h"

#include <quarry/abi.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
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
  UsageLimits usage = {};
  int landlock = kNewestLandlock;  ///< SandboxOptions::landlock
  std::size_t most_projects = 16;  ///< runners of a plugin for projects; further calls wait
  std::size_t most_apart = 8;      ///< of them, or of the owner's, for single calls of one party
  std::chrono::milliseconds idle{60'000};  ///< until the runner of a project ends unused
  // As in ConnectionOptions.
  std::chrono::milliseconds start_limit{10'000};
  std::function<std::chrono::milliseconds(Function)> call_limit = limit_of;
  std::chrono::milliseconds grace = kGrace;
  services::IoThread* io = nullptr;  ///< calls exchanges without waiting; null = none
};

/// The runners of one plugin: one for the owner of the host, and one for each project that uses it.
/// Starts them when they are needed, again after a crash, and not any more while the plugin is
/// quarantined. A call that may have crashed a runner is made in one of its own. [any thread]
class Runner {
 public:
  using Lease = std::shared_ptr<RunningPlugin>;

  Runner(plugins::Manifest manifest, const RunnerOptions& options);
  /// Closes the plugin.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Host that the plugin is opened with; borrowed. Before the first use.
  void offer(const quarry_host& host);
  /// The runner that the calls of `project` share; of the owner's if it is empty. Fails if it
  /// cannot be started, and when `call`, which may be null, is over while it waits.
  Result<Lease> shared(const std::string& project = {}, const quarry_call* call = nullptr);
  /// A runner for one call, which is suspected. `crash`: the one that it may have caused; may be
  /// null. Fails as shared() does.
  Result<Lease> apart(const std::string& project, const quarry_call* call,
                      std::shared_ptr<UnexplainedCrash> crash);
  /// True if the input has crashed the plugin before. kUnavailable once it did so too often.
  Result<bool> is_suspected(const std::string& project, std::string_view input);
  /// Of the owner's: kUnavailable during the delay after a crash, kPermissionDenied while it is
  /// quarantined.
  [[nodiscard]] Status ready();
  /// A number for an instance, unique in the runners of this plugin.
  std::uint32_t next_instance();
  /// Destroys an instance in every runner.
  void destroy(std::uint32_t instance);
  [[nodiscard]] const plugins::Manifest& manifest() const { return manifest_; }
  /// Directories of the plugin, known once it was started.
  [[nodiscard]] const OwnPlaces& places() const { return places_; }

 private:
  /// The owner, or a project.
  struct Party {
    Party(std::shared_ptr<Strikes> counted, std::size_t most_apart)
        : strikes(std::move(counted)), apart(most_apart) {}
    const std::shared_ptr<Strikes> strikes;
    RunnerCount apart;
    RunnerCount starting{1};                     // of those that are shared
    Lease running;                               // guarded by mutex_
    std::chrono::steady_clock::time_point used;  // likewise: the last time that it was lent
  };
  [[nodiscard]] std::shared_ptr<Party> party_of(const std::string& project);
  Result<Lease> start(const std::shared_ptr<Party>& party,
                      const std::shared_ptr<UnexplainedCrash>& crash, RunnerCount::Held counted);
  AfterCrash note_crash(const Crash& crash, const std::shared_ptr<Strikes>& strikes,
                        UnexplainedCrash* explained);
  [[nodiscard]] Status check_may_start(Strikes& strikes);
  [[nodiscard]] Hello hello() const;
  RunnerCount::Held count_project(const quarry_call* call, RunnerCount::Held other = {});
  Lease lend(Party& party);
  void end_unused(std::chrono::milliseconds unused);
  void begin_watch();
  void watch(const std::stop_token& stop);

  const plugins::Manifest manifest_;
  const RunnerOptions options_;
  std::mutex mutex_;
  const quarry_host* host_ = nullptr;
  OwnPlaces places_;
  std::map<std::string, std::shared_ptr<Party>> parties_;  // by project; the owner's is ""
  RunnerCount projects_;
  std::uint32_t last_instance_ = 0;
  std::condition_variable_any watched_;
  std::jthread watch_;  // ends unused runners of projects; since the first one was started
};

}  // namespace quarry::runner
