#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The bytes of a gzip'd text; nothing when it is damaged, or more than `most` bytes come of it.
std::optional<std::string> gunzip(std::string_view packed, std::size_t most);

}  // namespace quarry::resource_npm
