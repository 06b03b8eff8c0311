#pragma once

#include "runner/own_places.h"

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace quarry::runner {

/// Levels of directories that are measured: each takes a descriptor meanwhile.
inline constexpr int kMostLevels = 128;

/// Bytes on the disk that a plugin holds: of all files in its directories, and of those without a
/// name that its process has open or mapped. Nothing if that cannot be said, because a directory
/// may not be read or lies deeper than kMostLevels. [any thread]
std::optional<std::uint64_t> disk_space_of(pid_t process, const OwnPlaces& places);

}  // namespace quarry::runner
