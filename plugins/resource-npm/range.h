#pragma once

#include "resource-npm/version.h"

#include <optional>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// A version range such as "^1.2", "~1.2.3", "1.x", "1.2 - 2.3", ">=1 <3", "1 || 2", with npm's
/// rules: a prerelease is in a range only when the range names a prerelease of the same release.
class Range {
 public:
  /// nullopt when `text` is not a range. "" and "*" are every version.
  static std::optional<Range> parse(std::string_view text);
  [[nodiscard]] bool contains(const Version& version) const;

  /// A version that the range names, for suggesting others near it; nullopt when it names none.
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
