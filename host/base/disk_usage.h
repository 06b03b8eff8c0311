#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <sys/types.h>

namespace quarry {

/// A file on the disk. It may have several names and occupies its bytes while one of them exists.
struct DiskFile {
  ino_t inode = 0;
  std::uint64_t bytes = 0;  ///< allocated
};
/// Every file beneath `directory`, but for those in directories that cannot be read. Does not
/// follow links.
std::vector<DiskFile> files_beneath(const std::filesystem::path& directory);
/// The sum of their bytes.
std::uint64_t disk_usage(const std::filesystem::path& directory);

}  // namespace quarry
