#pragma once

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// "<kind>-<hash of text>": the name of an entry of the cache for what `text` says.
std::string entry_name(std::string_view kind, std::string_view text);

}  // namespace quarry::resource_npm
