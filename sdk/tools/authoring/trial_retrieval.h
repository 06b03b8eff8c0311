#pragma once

#include "authoring/trial_functions.h"

namespace quarry::authoring {

/// As prepare_trial, for embedding and rerank providers: describe, encode and score. The latter two
/// send their request as the host does, with retries.
Result<RunTrial> retrieval_trial(PluginTrial& trial, const TrialCall& wanted);

}  // namespace quarry::authoring
