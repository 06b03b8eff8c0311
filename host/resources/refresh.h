#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

#include <chrono>
#include <optional>

namespace quarry::resources {

/// How long a snapshot answers before its source is asked again.
struct Refresh {
  std::optional<std::chrono::seconds> after = std::chrono::minutes(15);  ///< nullopt = never
  /// A snapshot that is due answers all the same, and its source is asked after it.
  bool in_background = false;

  /// Whether the source has to be asked: `current_at` is when the snapshot was last known to be
  /// current, the epoch when it never was. A time to come means that the clock was wrong.
  [[nodiscard]] bool is_due(Clock::Wall current_at, Clock::Wall now) const;
};

/// What the members `refresh` and `refreshInBackground` of a resource say (base/resource_schema.h).
/// kInvalidArgument, tag ConfigError, when they say nothing sensible.
Result<Refresh> refresh_of(const Json& resource);

/// The members that are the host's own, and those without them, which are all a plugin sees.
Json host_members(const Json& resource);
Json without_host_members(Json resource);

}  // namespace quarry::resources
