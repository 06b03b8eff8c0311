#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// The reason that an entry of a tarball is missing or different in the snapshot.
enum class Left { kSymbolicLink, kHardLink, kOutside, kLongPath, kTwice };

/// Counts omitted entries and summarises them, one sentence per kind.
class Tally {
 public:
  void add(Left why, std::string_view path);
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Count {
    std::uint64_t count = 0;
    std::string first;
  };
  std::array<Count, 5> counts_;
};

}  // namespace quarry::resource_npm
