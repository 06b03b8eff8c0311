#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

enum class CheckOutcome { kPass, kFail, kSkip };

/// A check of a plugin and its outcome.
struct CheckResult {
  std::string_view name;      ///< stable: lower-case letters and '-'
  std::string_view sentence;  ///< holds if the check passes
  CheckOutcome outcome = CheckOutcome::kSkip;
  std::optional<Error> error = {};  ///< of a failed check
};

/// Loads a plugin's code apart from this process and reports; see probe.h.
using LoadCheck = std::function<Status(const Manifest&)>;

/// Checks of one plugin, in the order in which they ran.
struct Validation {
  std::filesystem::path path;        ///< of the manifest
  std::optional<Manifest> manifest;  ///< if it could be read
  std::vector<CheckResult> checks;   ///< always all of them

  [[nodiscard]] bool passed() const;  ///< no check failed
  /// The failure of the check that failed, if one did.
  [[nodiscard]] Status status() const;
  /// A line for each check and an indented one for each hint, safe for a terminal.
  [[nodiscard]] std::string text() const;
  /// {"manifest", "passed", "checks": [{"name", "sentence", "outcome", "message"?, "hint"?}]}
  [[nodiscard]] std::string json() const;
};

/// Checks a plugin as a host does before it uses it. Checks after a failed one are skipped; the
/// last one, which runs code of the plugin, also if `load` is empty. `path`: the manifest, or its
/// directory. [control]
Validation validate(const std::filesystem::path& path, const LoadCheck& load);

/// `path`, or plugin.toml in it if it is a directory.
[[nodiscard]] std::filesystem::path manifest_path(const std::filesystem::path& path);

}  // namespace quarry::plugins
