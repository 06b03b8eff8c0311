#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace quarry::corpus {

/// A short list of names.
using NameSet = std::span<const std::string_view>;

[[nodiscard]] inline bool has(NameSet set, std::string_view name) {
  return std::ranges::find(set, name) != set.end();
}

}  // namespace quarry::corpus
