#pragma once

#include "base/clock.h"
#include "base/disk_usage.h"
#include "base/error.h"

#include <filesystem>
#include <optional>

struct timespec;

namespace quarry::resources {

Clock::Wall wall_of(const timespec& time);
timespec timespec_of(Clock::Wall at);

/// Times of a file or directory; times_of is empty if there is none.
struct Times {
  Clock::Wall modified_at;
  Clock::Wall accessed_at;
};
std::optional<Times> times_of(const std::filesystem::path& path);

/// True if the cause is a full disk or an exceeded quota, recognised by the system's message, which
/// programs and libraries pass on.
bool is_disk_full(const Error& error);
/// Adds the location, the free space and a hint to that failure.
Error disk_full(Error why, const std::filesystem::path& cache);

}  // namespace quarry::resources
