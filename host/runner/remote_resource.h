#pragma once

#include <quarry/resource.h>

namespace quarry::runner {

/// Table of resource types in a runner; instances are RemoteInstance*.
extern const quarry_resource_v1 kRemoteResource;

}  // namespace quarry::runner
