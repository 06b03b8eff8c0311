#pragma once

#include "resource-npm/packument.h"

#include <quarry/outcome.hpp>

#include <string>

namespace quarry::resource_npm {

/// The version of `packument` that `wanted` means, as npm chooses it: of a range the one tagged
/// "latest" when it is inside, else the highest, and a deprecated one only when there is no other.
/// QUARRY_NOT_FOUND says what there is instead.
Outcome<std::string> choose(const Packument& packument, const Wanted& wanted);

/// The failure that `packument` does not hold this one version.
Failure no_version(const Packument& packument, const std::string& version);

}  // namespace quarry::resource_npm
