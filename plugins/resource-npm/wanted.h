#pragma once

#include "resource-npm/range.h"

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// What a resource says of its version: one version, a range, or a dist-tag.
struct Wanted {
  std::string text;  ///< in its plain form: "1.2.3" for "v1.2.3", without needless spaces
  std::optional<Version> version;
  std::optional<Range> range;

  /// As npm reads it: what is neither version nor range is a tag. Nothing when it is none of them.
  static std::optional<Wanted> parse(std::string_view text);
  [[nodiscard]] bool is_tag() const { return !version && !range; }
};

}  // namespace quarry::resource_npm
