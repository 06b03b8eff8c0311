#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// "<kind>-<hash of text>": the name of the cache entry for `text`.
std::string entry_name(std::string_view kind, std::string_view text);

}  // namespace quarry::resource_npm
