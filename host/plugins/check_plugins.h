#pragma once

#include "base/error.h"
#include "plugins/registry.h"

#include <functional>
#include <string>
#include <vector>

namespace quarry::plugins {

/// Checks of a plugin that need more than its manifest and its file.
struct PluginChecks {
  /// Status of a plugin that would run in a process of its own; runs none of its code.
  std::function<Status(const Manifest&)> may_be_isolated;
  /// Loads the code in another process; `isolated`: as a process of its own would; `tables`: see
  /// tables_of (probe.h).
  std::function<Status(const Manifest&, bool isolated, const std::string& tables)> load;
  /// True if another process could load them all, which came with the host and run in it, one after
  /// the other. Otherwise each is loaded by itself.
  std::function<bool(const std::vector<const Manifest*>&)> load_together;
};

/// Problems that Registry::load would report about finding and loading plugins. Runs no code of a
/// plugin in this process; code that is not in the probed list with its manifest is loaded by
/// `checks`. [control]
std::vector<Error> check_plugins(const RegistryOptions& options, const PluginChecks& checks);

}  // namespace quarry::plugins
