#pragma once

#include <string>
#include <string_view>

namespace quarry::plugins {

/// True for two different ids that a reader may take for each other: they differ only in characters
/// that look alike (0 and o; 1, i and l; 5 and s; "rn" and m; "vv" and w; "cl" and d) and in '-'
/// and '.'. [any]
[[nodiscard]] bool looks_alike(std::string_view left, std::string_view right);

}  // namespace quarry::plugins
