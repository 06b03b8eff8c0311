#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"
#include "plugins/resource_type.h"

#include <optional>
#include <string_view>

namespace quarry::resources {

/// The mistake in a resource's name, nothing when it is one: 1–64 characters,
/// ^@?[a-zA-Z0-9][a-zA-Z0-9._-]*(/[a-zA-Z0-9][a-zA-Z0-9._-]*)*$, no "..".
std::optional<std::string_view> name_mistake(std::string_view name);

/// As Library::normalise.
Result<Json> normalise(const plugins::ResourceTypes& types, const Json& resource,
                       Schema::Unknown unknown);

/// As Library::parse_reference.
Result<std::optional<Json>> parse_reference(const plugins::ResourceTypes& types,
                                            std::string_view reference);

}  // namespace quarry::resources
