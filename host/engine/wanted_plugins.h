#pragma once

#include "config/config.h"
#include "plugins/manifest.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// True if `transport` is to be started.
bool is_enabled(const config::Config& config, const plugins::ManifestComponent& transport);

/// Names of the transports of loaded plugins to start.
std::vector<std::string> enabled_transports(const config::Config& config,
                                            const std::vector<plugins::Manifest>& loaded);

/// True if callers with tokens are served: an opt-in transport is enabled.
bool serves_tokens(const config::Config& config, const std::vector<plugins::Manifest>& found);

/// True if `after` begins to use plugins of a kind for searches, which were not wanted `before`.
bool searches_want_more(const config::Config& before, const config::Config& after);

/// What a process does beside answering its own questions.
struct Serves {
  bool transports = false;  ///< starts those that are enabled
  bool tokens = false;      ///< opens the store that is chosen
};

/// True if this configuration uses a component of the plugin from the start: a transport to start,
/// the store, those for searches that [search] configures, or any component of another kind but an
/// analyser of source code, which is loaded when it meets a file that it reads (Analysers).
bool is_wanted(const config::Config& config, const plugins::Manifest& manifest, Serves serves);

}  // namespace quarry::engine
