#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/schema.h"
#include "plugins/resource_type.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::resources {

/// Implements Library::normalise, for a project or, if it is empty, the owner.
Result<Json> normalise(const plugins::ResourceTypes& types, const Json& resource,
                       Schema::Unknown unknown, const std::string& project = {});

/// Receives a problem for the operator.
using OnProblem = std::function<void(std::string_view)>;

/// Implements Library::parse_reference. Blanks and quotes around a reference, as it is copied, do
/// not belong to it. A reference that begins with the name of a type and a colon
/// reaches that type alone; of others, the most confident usable type gets it. A type that fails is
/// reported to `problem` and passed over; its failure is the outcome if no other type recognises
/// the reference.
Result<std::optional<Json>> parse_reference(const plugins::ResourceTypes& types,
                                            std::string_view reference, const OnProblem& problem,
                                            const std::string& project = {});

}  // namespace quarry::resources
