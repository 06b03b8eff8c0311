#pragma once

#include "engine/analysers.h"
#include "engine/current_state.h"
#include "engine/engine.h"
#include "engine/host_services.h"

#include <memory>

namespace quarry::engine {

/// The analysers of the plugins that the configuration of `state` permits. All must outlive it.
std::unique_ptr<Analysers> make_analysers(const CurrentState& state, const Options& options,
                                          HostServices& host_services);

}  // namespace quarry::engine
