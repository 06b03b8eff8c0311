#pragma once

#include "services/metrics.h"

#include <vector>

namespace quarry::services {

/// Processor time, memory, descriptors, threads and start of this process, under the names that
/// clients of Prometheus share ("process_…"). What the kernel does not tell is left out. [any
/// thread]
[[nodiscard]] std::vector<Reading> process_readings();

}  // namespace quarry::services
