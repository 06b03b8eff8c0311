#pragma once

#include "config/config.h"

#include <functional>
#include <string>
#include <string_view>

namespace quarry::engine {

/// Finds the configuration from which a start creates a component: a JSON object, secrets by name,
/// {} for what the configuration does not have. `config` must outlive it. [any]
std::function<std::string(std::string_view kind, std::string_view name)> component_tables(
    const config::Config& config);

}  // namespace quarry::engine
