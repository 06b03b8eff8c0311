#pragma once

#include "resource-npm/packument.h"

#include <quarry/outcome.hpp>

#include <string>

namespace quarry::resource_npm {

/// The version of `packument` that npm chooses for `wanted`: for a range the one tagged "latest"
/// when it is inside, else the highest, and a deprecated one only when there is no other.
/// QUARRY_NOT_FOUND lists the nearest versions.
Outcome<std::string> choose(const Packument& packument, const Wanted& wanted);

/// The failure for a version that `packument` does not contain.
Failure no_version(const Packument& packument, const std::string& version);

}  // namespace quarry::resource_npm
