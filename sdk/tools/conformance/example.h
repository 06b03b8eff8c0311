#pragma once

#include "base/json.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::conformance {

/// A value that follows a JSON Schema: its "default", "const", first of "enum" or "examples", else
/// made by type; of an object the required members and those with a default, if `defaults`. Empty
/// if none was found. Paths are beneath `directory`; a port of this machine becomes 0, any free
/// one.
std::optional<Json> example_of(const Json& schema, bool defaults,
                               const std::filesystem::path& directory);

/// A value to try, and the member that differs from a good one.
struct Variation {
  Json value;
  std::string member;
  bool follows_schema = false;
};

/// Copies of `good` with one member of the schema exchanged for a value of another type, an empty,
/// long, large or odd one each. `seed` selects bytes and numbers.
std::vector<Variation> variations(const Json& schema, const Json& good, std::uint64_t seed);

}  // namespace quarry::conformance
