#pragma once

#include "plugins/deferred_models.h"

#include <quarry/model.h>

namespace quarry::runner {

/// Table of model providers in a runner, with the functions of both forms; instances are
/// RemoteInstance*.
[[nodiscard]] quarry_model_v1 remote_model();

/// The same functions of exchanges for the I/O thread of RunnerOptions.
[[nodiscard]] plugins::DeferredModels& deferred_models();

}  // namespace quarry::runner
