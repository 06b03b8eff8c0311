#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_files {

/// A path of an archive without empty parts and ".", and so without slashes at its ends; empty if
/// nothing is left. nullopt if it has "..", which could lead out.
std::optional<std::string> plain_path(std::string_view path);

}  // namespace quarry::resource_files
