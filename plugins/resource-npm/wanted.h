#pragma once

#include "resource-npm/range.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace quarry::resource_npm {

/// What a resource says of its version: one version, a range, or a dist-tag.
struct Wanted {
  std::string text;  ///< in its plain form: "1.2.3" for "v1.2.3", without needless spaces
  std::variant<Version, Range, std::string> what;

  /// As npm reads it: what is neither version nor range is a tag. Nothing when it is none of them.
  static std::optional<Wanted> parse(std::string_view text);
  [[nodiscard]] const Version* version() const { return std::get_if<Version>(&what); }
  [[nodiscard]] const Range* range() const { return std::get_if<Range>(&what); }
  [[nodiscard]] bool is_tag() const { return std::holds_alternative<std::string>(what); }
};

}  // namespace quarry::resource_npm
