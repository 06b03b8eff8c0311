#pragma once

#include <quarry/model.h>

namespace quarry::runner {

/// Table of model providers in a runner, with the functions of both forms; instances are
/// RemoteInstance*.
extern const quarry_model_v1 kRemoteModel;

}  // namespace quarry::runner
