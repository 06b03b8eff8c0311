#pragma once

#include "base/error.h"
#include "config/config.h"
#include "plugins/manifest.h"

namespace quarry::cli {

/// True if the plugin runs in a process of its own with this configuration.
[[nodiscard]] bool is_isolated(const plugins::Manifest& manifest,
                               const config::Plugins& configured);

/// Loads the plugin in another process, inside the sandbox of runners if `isolated`.
Status load_apart(const plugins::Manifest& manifest, bool isolated);

}  // namespace quarry::cli
