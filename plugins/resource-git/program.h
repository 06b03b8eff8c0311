#pragma once

#include "resource-git/settings.h"
#include "resource-git/speed.h"

#include <quarry/host.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::resource_git {

/// A call that also ends after a time limit. Must outlive its users.
class TimedCall {
 public:
  TimedCall(const Host& host, const Call& call, std::chrono::milliseconds limit);
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;
  [[nodiscard]] const Call& call() const { return opened_.call(); }
  /// True if the time limit ended the call.
  [[nodiscard]] bool timed_out() const;

 private:
  std::chrono::steady_clock::time_point deadline_;
  OpenedCall opened_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// One run of git.
struct Command {
  std::vector<std::string> arguments;
  Pairs configuration = {};  ///< in addition to that of every run; never visible in a process list
  std::vector<std::string> environment = {};
  std::string directory = {};  ///< the repository; empty = none
  std::string_view input = {};
  bool reads_user_configuration = false;
  std::optional<MinimumSpeed> minimum_speed = {};  ///< when git itself enforces none
};

struct GitEnd {
  int exit = 0;
  int signal = 0;
  std::string errors;  ///< error output without progress

  [[nodiscard]] bool ok() const { return exit == 0 && signal == 0; }
};

using OnBytes = std::function<bool(std::string_view bytes)>;

/// Runs git controlled by the command alone: no configuration of the machine or the user, no hooks,
/// prompts, helpers, submodules or background work, and no transport but the one the command
/// permits. Progress goes to the call. QUARRY_DEADLINE_EXCEEDED below the minimum speed.
Outcome<GitEnd> run_git(const Host& host, const Call& call, const Command& command,
                        const OnBytes& on_output);

/// Environment variables that a program needs to reach the network: proxies, certificates.
std::vector<std::string> network_environment();

}  // namespace quarry::resource_git
