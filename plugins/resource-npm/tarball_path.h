#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The path of a file in a tarball without its first part ("package/"), without "." and empty
/// parts. Empty when nothing is left of it; nullopt when it is absolute or contains "..".
std::optional<std::string> stripped_path(std::string_view path);

}  // namespace quarry::resource_npm
