#pragma once

#include "resources/preparation_context.h"
#include "resources/request.h"

#include <optional>

namespace quarry::resources {

/// The snapshot to use without contacting the source; empty if the source must be contacted. Starts
/// a background refresh if one is due and the resource allows it.
std::optional<Prepared> find_ready(const PreparationContext& context, const Request& request);

}  // namespace quarry::resources
