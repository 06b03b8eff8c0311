#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace quarry {

/// The canonical form of a path inside a tree: components joined by single '/', without ".",
/// without leading or trailing '/'. "" and "." are the root. kInvalidArgument when it is absolute,
/// has a ".." component, contains NUL, or is longer than 4,096 bytes.
Result<std::string> normalise_relative_path(std::string_view path);

}  // namespace quarry
