#pragma once

#include <quarry/resource.h>

namespace quarry::runner {

/// Table of resource types in a runner; instances are RemoteInstance*.
[[nodiscard]] quarry_resource_v1 remote_resource();

}  // namespace quarry::runner
