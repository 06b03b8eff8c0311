#pragma once

#include "resource-npm/version.h"

#include <optional>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// Which versions are meant by "^1.2", "~1.2.3", "1.x", "1.2 - 2.3", ">=1 <3", "1 || 2", as npm
/// reads it: a prerelease is in a range only when the range names a prerelease of the same release.
class Range {
 public:
  /// Nothing when `text` is no range. "" and "*" are every version.
  static std::optional<Range> parse(std::string_view text);
  [[nodiscard]] bool contains(const Version& version) const;

  /// A version that the range names, to look for others near it; nothing when it names none.
  [[nodiscard]] std::optional<Version> landmark() const;

  enum class Bound { kEqual, kLess, kAtMost, kMore, kAtLeast };
  struct Comparator {
    Bound bound;
    Version version;
  };
  /// All of them must hold.
  using Comparators = std::vector<Comparator>;

 private:
  std::vector<Comparators> alternatives_;  // one of them must hold
};

}  // namespace quarry::resource_npm
