#include "resources/disk_usage.h"

#include "base/size_text.h"

#include <cerrno>
#include <system_error>

#include <sys/stat.h>
#include <sys/statvfs.h>

namespace quarry::resources {
namespace fs = std::filesystem;

Clock::Wall wall_of(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return Clock::Wall(std::chrono::duration_cast<Clock::Wall::duration>(since));
}

timespec timespec_of(Clock::Wall at) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return {static_cast<time_t>(seconds.count()), (since - seconds).count()};
}

std::optional<Times> times_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Times{wall_of(status.st_mtim), wall_of(status.st_atim)};
}

bool is_disk_full(const Error& error) {
  for (const int number : {ENOSPC, EDQUOT}) {
    const std::string words = std::generic_category().message(number);
    if (error.message.find(words) != std::string::npos) return true;
  }
  return false;
}

Error disk_full(Error why, const fs::path& cache) {
  struct statvfs space {};
  if (::statvfs(cache.c_str(), &space) == 0) {
    why.message += "; of the disk of the cache, " + cache.string() + ", " +
                   size_text(static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize) +
                   " are free";
  }
  why.code = Code::kResourceExhausted;
  why.tag = "CollectionError";
  why.hint =
      "Free space on that disk, run quarry clear, lower max_size in [cache], or choose another "
      "place: directory in [cache].";
  return why;
}

}  // namespace quarry::resources
