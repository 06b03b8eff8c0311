#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <quarry/abi.h>

namespace quarry::plugins {

/// What a loaded plugin says of itself must be complete and what its manifest says.
/// kInvalidArgument names the first difference. Calls nothing.
Status check_entry(const quarry_entry& entry, const Manifest& manifest);

}  // namespace quarry::plugins
