#pragma once

#include "base/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// The wire form of a resource: `type`, `name`, then every field of `schema` (of the file) except
/// secrets; a missing field has its default, or null. One line of JSON.
std::string wire_form(const Json& resource, const Json& schema);

/// `name`, or `name` with a number ("docs-2") if a client could confuse it with one of `taken`.
std::string distinct_name(const std::string& name, const std::vector<std::string>& taken);

}  // namespace quarry::engine
