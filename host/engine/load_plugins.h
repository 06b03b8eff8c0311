#pragma once

#include "base/error.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/host_services.h"
#include "engine/registry_options.h"
#include "plugins/registry.h"

#include <memory>

namespace quarry::engine {

/// The time at which the code of plugins is loaded whose manifests permit a later one.
enum class Loading { kAtOnce, kByUse };

/// The plugins that `config` and `options` name, which use `host_services` as long as they live.
/// With `before`, a reload of it. [control]
Result<std::shared_ptr<plugins::Registry>> load_plugins(const config::Config& config,
                                                        const Options& options,
                                                        HostServices& host_services,
                                                        Loading loading,
                                                        const plugins::Registry* before = nullptr);

/// The store that `config` chooses; null if no plugin offers it. [control]
Result<std::shared_ptr<plugins::Store>> make_store(const config::Config& config,
                                                   plugins::Registry& registry);

/// Makes the services of each plugin from those of the host, which must outlive the plugins.
plugins::MakeServices service_tables(HostServices& host_services);

/// Counts the crashes of plugins in the metrics.
OnCrash count_crashes(HostServices& host_services);

/// Rights of the plugin in every call.
services::Permissions permissions_of(const plugins::Manifest& manifest);

}  // namespace quarry::engine
