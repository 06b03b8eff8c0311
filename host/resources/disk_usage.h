#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

struct timespec;

namespace quarry::resources {

Clock::Wall wall_of(const timespec& time);
timespec timespec_of(Clock::Wall at);

/// Times of a file or directory; nothing when there is none.
struct Times {
  Clock::Wall modified_at;
  Clock::Wall accessed_at;
};
std::optional<Times> times_of(const std::filesystem::path& path);

/// A file on the disk. It may have several names, and takes its bytes as long as one is left.
struct DiskFile {
  ino_t inode = 0;
  std::uint64_t bytes = 0;  ///< allocated
};
/// Every file beneath `directory`. A link is not followed.
std::vector<DiskFile> files_beneath(const std::filesystem::path& directory);
/// The sum of their bytes.
std::uint64_t disk_usage(const std::filesystem::path& directory);

/// "1.5 MiB"
std::string size_text(std::uint64_t bytes);

/// Whether something failed because the disk, or what this user may take of it, is full: by the
/// system's own words, which programs and libraries pass on.
bool is_disk_full(const Error& error);
/// That failure as a user reads it: where, how much is free, and what to do about it.
Error disk_full(Error why, const std::filesystem::path& cache);

}  // namespace quarry::resources
