#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include <sys/types.h>

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

/// A file on the disk. It may have several names and occupies its bytes while one of them exists.
struct DiskFile {
  ino_t inode = 0;
  std::uint64_t bytes = 0;  ///< allocated
};
/// Every file beneath `directory`. Does not follow links.
std::vector<DiskFile> files_beneath(const std::filesystem::path& directory);
/// The sum of their bytes.
std::uint64_t disk_usage(const std::filesystem::path& directory);

/// True if the cause is a full disk or an exceeded quota, recognised by the system's message, which
/// programs and libraries pass on.
bool is_disk_full(const Error& error);
/// Adds the location, the free space and a hint to that failure.
Error disk_full(Error why, const std::filesystem::path& cache);

}  // namespace quarry::resources
