#pragma once

#include "base/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// A resource as the wire shows it: `type`, `name`, then every field of `schema` (of the file) but
/// secrets; what is not set is the field's default, or null. One line of JSON.
std::string wire_form(const Json& resource, const Json& schema);

/// `name`, or where one of `taken` is the same to a client, `name` with a number ("docs-2").
std::string unlike(const std::string& name, const std::vector<std::string>& taken);

}  // namespace quarry::engine
