#pragma once

#include "config/config.h"
#include "plugins/manifest.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// Whether transport `name` of `component` is to be started.
bool is_enabled(const config::Config& config, const plugins::ManifestComponent& transport);

/// The transports to start of the loaded plugins, by name.
std::vector<std::string> enabled_transports(const config::Config& config,
                                            const std::vector<plugins::Manifest>& loaded);

/// Whether anybody comes with tokens: a transport that is started only where it is enabled is.
bool serves_tokens(const config::Config& config, const std::vector<plugins::Manifest>& found);

/// Whether a plugin has anything that this configuration uses: transports that are started, the
/// chosen store where `store` is wanted, and every component of another kind.
bool is_wanted(const config::Config& config, const plugins::Manifest& manifest, bool store);

}  // namespace quarry::engine
