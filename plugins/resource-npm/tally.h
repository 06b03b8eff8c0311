#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// Why something of a tarball is not in the snapshot as it stands there.
enum class Left { kSymbolicLink, kHardLink, kOutside, kLongPath, kDeep, kTwice };

/// Counts what was left out, and sums it up in a sentence a kind.
class Tally {
 public:
  void add(Left why, std::string_view path);
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Count {
    std::uint64_t count = 0;
    std::string first;
  };
  std::array<Count, 6> counts_;
};

}  // namespace quarry::resource_npm
