#pragma once

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/module.h"
#include "runner/runner.h"

#include <memory>

namespace quarry::runner {

/// kUnsupported for a plugin with a component that must run in the host; the hint says what its
/// owner can do. [any]
Status check_isolatable(const plugins::Manifest& manifest);

/// A module whose code runs in a process of its own: open() starts that, and the functions of its
/// components call it. Fails as check_isolatable. [control]
Result<std::shared_ptr<plugins::Module>> isolate(const plugins::Manifest& manifest,
                                                 const RunnerOptions& options);

}  // namespace quarry::runner
