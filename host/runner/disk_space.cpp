#include "runner/disk_space.h"

#include "base/directory_entries.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 512;  // unit of st_blocks on every file system

std::uint64_t bytes_of(const struct stat& file) {
  return static_cast<std::uint64_t>(file.st_blocks) * kBlock;
}

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

/// Null with the cause in errno.
Directory open_directory(int above, const char* name, int flags) {
  const int opened = ::openat(above, name, flags | O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Directory directory(opened < 0 ? nullptr : ::fdopendir(opened), ::closedir);
  if (opened >= 0 && directory == nullptr) ::close(opened);
  return directory;
}

/// Of the call that failed last. Other causes are no fault of the plugin: a file is gone, or the
/// host has no descriptor left.
bool is_denied() {
  return errno == EACCES || errno == EPERM;
}

/// Sums what lies beneath directories. They are opened one in the other, since a path may be longer
/// than the system accepts.
class Measurement {
 public:
  /// False if a directory may not be read, or there is too much.
  [[nodiscard]] bool add(const Directory& directory, int levels = 1) {
    if (directory == nullptr) return !is_denied();
    if (levels > kMostLevels) return false;
    while (const dirent* const entry = ::readdir(directory.get())) {
      const std::string_view name = entry->d_name;
      const bool is_other = name == "." || name == "..";
      if (!is_other && !add_entry(::dirfd(directory.get()), entry->d_name, levels)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  static constexpr std::size_t kMostEntries = 4'000'000;

  bool add_entry(int directory, const char* name, int levels) {
    if (++entries_ > kMostEntries) return false;
    struct stat status {};
    if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return !is_denied();
    sum_ += bytes_of(status);
    if (!S_ISDIR(status.st_mode)) return true;
    return add(open_directory(directory, name, O_NOFOLLOW), levels + 1);
  }

  std::uint64_t sum_ = 0;
  std::size_t entries_ = 0;
};

/// Sizes by device and inode.
using Sizes = std::map<std::pair<dev_t, ino_t>, std::uint64_t>;

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// Files without a name in the maps of a process, whose lines are "7f00-7f80 rw-s 00000000 fe:01 12
/// /path (deleted)" (proc_pid_maps(5)). How much of them is on the disk is not told.
void add_mapped(const std::string& maps, Sizes& sizes) {
  std::ifstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with(" (deleted)")) continue;
    std::istringstream fields(line);
    std::string range, permissions, offset, device;
    ino_t inode = 0;
    if (!(fields >> range >> permissions >> offset >> device >> inode)) continue;
    const auto dash = std::min(range.find('-'), range.size() - 1);
    const auto colon = std::min(device.find(':'), device.size() - 1);
    const std::uint64_t size =
        hexadecimal(range.substr(dash + 1)) - hexadecimal(range.substr(0, dash));
    const auto major = static_cast<unsigned>(hexadecimal(device.substr(0, colon)));
    const auto minor = static_cast<unsigned>(hexadecimal(device.substr(colon + 1)));
    auto& known = sizes[{makedev(major, minor), inode}];
    known = std::max(known, hexadecimal(offset) + size);
  }
}

/// Those that a process has open.
void add_open(const std::string& descriptors, Sizes& sizes) {
  for (const auto& entry : entries_of(descriptors)) {
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || status.st_nlink != 0) continue;
    sizes[{status.st_dev, status.st_ino}] = bytes_of(status);
  }
}

}  // namespace

std::optional<std::uint64_t> disk_space_of(pid_t process, const OwnPlaces& places) {
  Measurement measured;
  for (const auto& place : {places.cache, places.data}) {
    if (!measured.add(open_directory(AT_FDCWD, place.c_str(), 0))) return std::nullopt;
  }
  const std::string proc = "/proc/" + std::to_string(process);
  Sizes unnamed;
  add_mapped(proc + "/maps", unnamed);
  add_open(proc + "/fd", unnamed);
  std::uint64_t sum = measured.sum();
  for (const auto& [file, size] : unnamed) sum += size;
  return sum;
}

}  // namespace quarry::runner
