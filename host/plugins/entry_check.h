#pragma once

#include "base/error.h"
#include "plugins/manifest.h"

#include <quarry/abi.h>

namespace quarry::plugins {

/// Checks that the entry of a loaded plugin is complete and agrees with its manifest.
/// kInvalidArgument names the first difference. Calls nothing.
Status check_entry(const quarry_entry& entry, const Manifest& manifest);

}  // namespace quarry::plugins
