#pragma once

#include "base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry {

/// The longest path that normalise_relative_path() takes, in bytes.
inline constexpr std::size_t kMostRelativePath = 4096;

/// The canonical form of a path inside a tree: components joined by single '/', without ".",
/// without leading or trailing '/'. "" and "." are the root. kInvalidArgument when it is absolute,
/// has a ".." component, contains NUL, or is longer than 4,096 bytes.
Result<std::string> normalise_relative_path(std::string_view path);

}  // namespace quarry
