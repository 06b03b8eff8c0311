#pragma once

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/module.h"
#include "runner/runner.h"

#include <memory>

namespace quarry::runner {

/// A module whose code runs in a process of its own: open() starts that, and the functions of its
/// components call it. kUnsupported for a plugin with a component that must run in the host.
/// [control]
Result<std::shared_ptr<plugins::Module>> isolate(const plugins::Manifest& manifest,
                                                 const RunnerOptions& options);

}  // namespace quarry::runner
