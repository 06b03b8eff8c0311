#pragma once

#include "cli/connection.h"
#include "cli/doctor/finding.h"
#include "config/inspect.h"
#include "plugins/registry.h"

#include <vector>

namespace quarry::cli {

// What Quarry itself says. Each function needs the one before it to have found no fault.

/// Mistakes and files without trust, and plugins that cannot be loaded.
Findings check_configuration(config::Inspection read, const plugins::Found& found,
                             const std::vector<Error>& plugin_problems);

/// The models that questions would ask: their servers, keys and, where money is limited, prices.
/// Lists models, which costs nothing. May block for seconds.
Findings check_models(Connection& engine, const config::Model& model);

/// The store of projects and tokens.
Findings check_store(Connection& engine);

/// A fault for an error: its hint is the next step.
Finding fault_of(const Error& error);

}  // namespace quarry::cli
