#pragma once

#include "base/error.h"
#include "cli/verb.h"
#include "config/config.h"
#include "plugins/manifest.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// True if the plugin runs in a process of its own with this configuration.
[[nodiscard]] bool is_isolated(const plugins::Manifest& manifest,
                               const config::Plugins& configured);

/// What this kernel keeps plugins in processes of their own from.
struct Confinement {
  bool files = false;
  bool rest = false;  ///< network, programs, other processes
};
[[nodiscard]] Confinement available_confinement();

/// The command that loads the plugins whose manifests are its further arguments, inside the sandbox
/// of runners if `isolated`.
[[nodiscard]] std::vector<std::string> probe_command(const plugins::Manifest& manifest,
                                                     bool isolated);

/// Loads and opens the plugin in another process, inside the sandbox of runners if `isolated`, and
/// creates and describes its components from `tables` (plugins::tables_of), unless it came with the
/// program. Fails if that crashes or hangs.
Status load_apart(const plugins::Manifest& manifest, bool isolated, std::string_view tables);

/// Problems that a start with this configuration would report about finding and loading plugins.
/// Runs code of plugins in other processes only, and of each file once, until it changes.
std::vector<Error> plugin_problems(const config::Config& config, const CommonOptions& common);

}  // namespace quarry::cli
