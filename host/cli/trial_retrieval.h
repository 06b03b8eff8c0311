#pragma once

#include "cli/trial_functions.h"

namespace quarry::cli {

/// As prepare_trial, for embedding and rerank providers: describe, encode and score. The latter two
/// send their request as the host does, with retries.
Result<RunTrial> retrieval_trial(PluginTrial& trial, const TrialCall& wanted);

}  // namespace quarry::cli
