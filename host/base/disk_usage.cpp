#include "base/disk_usage.h"

#include "base/directory_entries.h"

#include <utility>

#include <sys/stat.h>

namespace quarry {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBlock = 512;  // unit of st_blocks on every file system

}  // namespace

std::vector<DiskFile> files_beneath(const fs::path& directory) {
  std::vector<DiskFile> files;
  std::vector<fs::path> unread = {directory};
  while (!unread.empty()) {
    const fs::path next = std::move(unread.back());
    unread.pop_back();
    for (const auto& entry : entries_of(next)) {
      struct stat status {};
      if (::lstat(entry.path().c_str(), &status) != 0) continue;
      files.push_back({status.st_ino, static_cast<std::uint64_t>(status.st_blocks) * kBlock});
      if (S_ISDIR(status.st_mode)) unread.push_back(entry.path());
    }
  }
  return files;
}

std::uint64_t disk_usage(const fs::path& directory) {
  std::uint64_t sum = 0;
  for (const DiskFile& file : files_beneath(directory)) sum += file.bytes;
  return sum;
}

}  // namespace quarry
