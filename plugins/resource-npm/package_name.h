#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The reason that `name` is not a valid package name, such as "has a space"; empty when it is.
/// Names that npm accepted earlier, such as those with capitals, are valid.
std::string reason_against_name(std::string_view name);

/// "@types" of "@types/node"; empty when there is none. Requires a valid name.
std::string_view scope_of(std::string_view name);

/// The name in a registry's URL: "@types%2fnode".
std::string name_in_url(std::string_view name);

}  // namespace quarry::resource_npm
