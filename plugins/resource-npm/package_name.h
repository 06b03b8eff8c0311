#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// Why `name` can be no name of a package, such as "has a space"; empty when it can. Names that
/// npm took in earlier days, as those with capitals, count.
std::string reason_against_name(std::string_view name);

/// "@types" of "@types/node"; empty when there is none. Of a valid name.
std::string_view scope_of(std::string_view name);

/// As it stands in a registry's URL: "@types%2fnode".
std::string name_in_url(std::string_view name);

}  // namespace quarry::resource_npm
