#pragma once

#include "base/clock.h"
#include "config/config.h"
#include "engine/engine.h"
#include "plugins/registry.h"

#include <filesystem>
#include <vector>

namespace quarry::engine {

/// Directories in which plugins are found, in the order of the search.
std::vector<std::filesystem::path> plugin_directories(const config::Config& config,
                                                      const Options& options);

/// Options for finding and loading the plugins of this configuration, without services. They refer
/// to `config`, and to `clock` for as long as the plugins live. `state`: the directory of state.
plugins::RegistryOptions registry_options(const config::Config& config, const Options& options,
                                          const std::filesystem::path& state, const Clock& clock);

}  // namespace quarry::engine
