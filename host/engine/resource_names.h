#pragma once

#include "base/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// A resource as the wire shows it: `type`, `name`, then every field of the type's schema, null
/// when it is not set. One line of JSON.
std::string wire_form(const Json& resource, const Json& schema);

/// The name of a resource that was named by a reference alone: its last part, made a valid name and
/// unlike each of `taken` ("docs" of "/home/me/docs/", "docs-2" when that is taken).
std::string name_for(std::string_view reference, const std::vector<std::string>& taken);

}  // namespace quarry::engine
