#pragma once

#include "base/clock.h"
#include "config/config.h"
#include "engine/engine.h"
#include "plugins/registry.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace quarry::runner {
struct CrashLimits;
}

namespace quarry::services {
class IoThread;
}

namespace quarry::engine {

/// Directories in which plugins are found, in the order of the search.
std::vector<std::filesystem::path> plugin_directories(const config::Config& config,
                                                      const Options& options);

/// Called with the id of a plugin whose runner crashes. [any thread]
using OnCrash = std::function<void(const std::string& plugin)>;

/// Options for finding and loading the plugins of this configuration, without services. They refer
/// to `config`, and to `clock` and `io` for as long as the plugins live. `state`: the directory of
/// state. `io` and `crashed` as in runner::RunnerOptions.
plugins::RegistryOptions registry_options(const config::Config& config, const Options& options,
                                          const std::filesystem::path& state, const Clock& clock,
                                          services::IoThread* io = nullptr,
                                          OnCrash crashed = nullptr);

/// Options for runners of the program; empty if it has none. `quarantined_list`, `crashes`, `io`
/// and `crashed` as in runner::RunnerOptions. `clock` and `io` must outlive the plugins.
std::function<Result<std::shared_ptr<plugins::Module>>(const plugins::Manifest&)> isolation(
    const Options& options, const Clock& clock, const std::filesystem::path& quarantined_list,
    const runner::CrashLimits& crashes, services::IoThread* io = nullptr,
    OnCrash crashed = nullptr);

}  // namespace quarry::engine
