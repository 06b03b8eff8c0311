#pragma once

#include "resource-npm/range.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The version field of a resource: one version, a range, or a dist-tag.
struct Wanted {
  std::string text;  ///< canonical: "1.2.3" for "v1.2.3", without extra spaces
  std::optional<Version> version;
  std::optional<Range> range;

  /// Parses with npm's rules: text that is neither version nor range is a tag. nullopt when it is
  /// none of these.
  static std::optional<Wanted> parse(std::string_view text);
  [[nodiscard]] bool is_tag() const { return !version && !range; }
};

}  // namespace quarry::resource_npm
