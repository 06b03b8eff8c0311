#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

#include <chrono>
#include <optional>

namespace quarry::resources {

/// Time until the source of a snapshot is checked again.
struct Refresh {
  std::optional<std::chrono::seconds> after = std::chrono::minutes(15);  ///< nullopt = never
  /// Use a snapshot that is due, and check its source afterwards.
  bool in_background = false;

  /// True if the source must be checked. `current_at`: when the snapshot was last known to be
  /// current, or the epoch if never. A time in the future means that the clock was wrong.
  [[nodiscard]] bool is_due(Clock::Wall current_at, Clock::Wall now) const;
};

/// Parses the members `refresh` and `refreshInBackground` of a resource (base/resource_schema.h).
/// kInvalidArgument, tag ConfigError, if they are invalid.
Result<Refresh> refresh_of(const Json& resource);

/// Splits a resource into the host's own members and the members that plugins see.
Json host_members(const Json& resource);
Json without_host_members(Json resource);

}  // namespace quarry::resources
