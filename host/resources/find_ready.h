#pragma once

#include "resources/preparation_context.h"
#include "resources/request.h"

#include <optional>
#include <string>

namespace quarry::resources {

/// Name of the snapshot of a resource on the disk: of the locked version, else the most recently
/// current one; nothing if there is none. That of a locked version may be missing.
std::optional<std::string> kept_name(const Store& store, const Json& resource,
                                     const std::optional<plugins::ResourceVersion>& locked,
                                     const std::string& project);

/// The snapshot to use without contacting the source; empty if the source must be contacted. Starts
/// a background refresh if one is due and the resource allows it.
std::optional<Prepared> find_ready(const PreparationContext& context, const Request& request);

}  // namespace quarry::resources
