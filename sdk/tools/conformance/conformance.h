#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/validation.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::conformance {

enum class Outcome {
  kPass,
  kFail,
  kCrash,    ///< a signal, or the end of the process
  kTimeout,  ///< it did not return within the limit
  kWarn,     ///< permitted, but worth a change
  kSkip,     ///< it does not apply, or an earlier check failed
};

/// "pass", "fail", "crash", "timeout", "warn" or "skip".
[[nodiscard]] std::string_view name_of(Outcome outcome);

/// A check of the list. Names are stable: scripts and documents refer to them.
struct CheckInfo {
  std::string_view name;      ///< lower-case letters and '-'
  std::string_view group;     ///< "static", "load", "configuration", …
  std::string_view sentence;  ///< holds if the check passes
};

/// All checks, in the order in which they run.
[[nodiscard]] const std::vector<CheckInfo>& all_checks();

struct CheckResult {
  CheckInfo check;
  Outcome outcome = Outcome::kSkip;
  bool applies = true;       ///< false: the plugin has no component that the check is for
  std::string message = {};  ///< the cause; of a skipped check the reason; empty if it passed
  std::string hint = {};     ///< the next step
  std::chrono::milliseconds time{};
};

struct Options {
  std::filesystem::path path;            ///< the manifest, or its directory
  plugins::LoadCheck load;               ///< see plugins::validate
  std::vector<std::string> checks = {};  ///< names; empty = all. Checks before them run too.
  /// A resource to try, {"type"?, …fields}; without "type" it is of every resource type.
  std::optional<Json> resource = {};
  /// By name of component: the configuration of its instance, instead of the schema's defaults.
  Json configuration = Json::object();
  std::uint64_t seed = 1;                   ///< of cuts and of malformed values
  std::chrono::milliseconds limit{10'000};  ///< of each check that runs code
  std::uint64_t memory = 512ull << 20;      ///< permitted growth, in bytes
  std::size_t jobs = 0;                     ///< checks at the same time; 0 = one a core
};

struct Report {
  std::filesystem::path path;  ///< of the manifest
  std::uint64_t seed = 1;
  std::vector<CheckResult> checks;  ///< in the order of the list

  [[nodiscard]] bool passed() const;  ///< no check failed, crashed or timed out
  /// A line for each check that applies, indented ones for cause and next step, and the number of
  /// each outcome, safe for a terminal.
  [[nodiscard]] std::string text() const;
  /// {"manifest", "passed", "seed", "checks": [{"name", "group", "sentence", "outcome", "message"?,
  /// "hint"?, "ms"}]}
  [[nodiscard]] std::string json() const;
  /// A test suite in the XML format of JUnit; a warning is a passed test with output.
  [[nodiscard]] std::string junit() const;
};

/// Checks a plugin over its whole life. The static checks run here; each other one runs code of the
/// plugin in a forked child process of its own, with the rights of this user, a temporary directory
/// and no network. Checks of a stage are skipped once one of an earlier stage failed.
/// kInvalidArgument if a name of `checks` is unknown. Call it while this process has one thread.
Result<Report> run(const Options& options);

}  // namespace quarry::conformance
