#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"
#include "plugins/resource_type.h"

#include <optional>
#include <string_view>

namespace quarry::resources {

/// Implements Library::normalise.
Result<Json> normalise(const plugins::ResourceTypes& types, const Json& resource,
                       Schema::Unknown unknown);

/// Implements Library::parse_reference.
Result<std::optional<Json>> parse_reference(const plugins::ResourceTypes& types,
                                            std::string_view reference);

}  // namespace quarry::resources
