// Landlock, by system calls: the C library has no functions for it, and its header may be older
// than the kernel.
#include "base/file.h"
#include "runner/sandbox.h"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace quarry::runner {
namespace {

/// landlock_ruleset_attr of version 6; older kernels take a prefix.
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

constexpr std::uint64_t kTruncate = 1u << 14;     // version 3
constexpr std::uint64_t kIoctlDevice = 1u << 15;  // version 5
constexpr std::uint64_t kBindAndConnect = 3;      // version 4
constexpr std::uint64_t kSocketsAndSignals = 3;   // version 6

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | kTruncate;
/// Rights of a rule for something that is no directory.
constexpr std::uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

/// Of the system: what a library needs at run time.
constexpr const char* kReadable[] = {"/lib",
                                     "/lib64",
                                     "/usr/lib",
                                     "/usr/lib64",
                                     "/usr/local/lib",
                                     "/usr/share",
                                     "/etc/ld.so.cache",
                                     "/etc/localtime",
                                     "/proc/self",
                                     "/dev/zero",
                                     "/dev/random",
                                     "/dev/urandom",
                                     "/sys/devices/system/cpu"};
constexpr const char* kWritable[] = {"/dev/null"};

Ruleset ruleset_of(int version) {
  Ruleset all;
  all.files = (1u << 13) - 1;  // version 1
  if (version >= 2) all.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) all.files |= kTruncate;
  if (version >= 5) all.files |= kIoctlDevice;
  if (version >= 4) all.network = kBindAndConnect;
  if (version >= 6) all.scopes = kSocketsAndSignals;
  return all;
}

std::size_t size_of(int version) {
  return version >= 6 ? sizeof(Ruleset) : version >= 4 ? 16 : 8;
}

/// A place that does not exist needs no rule.
void permit(const Fd& ruleset, const std::filesystem::path& place, std::uint64_t rights) {
  const Fd opened(::open(place.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) return;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & kOfFiles;
  rule.parent_fd = opened.get();
  ::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

}  // namespace

int restrict_files(const SandboxOptions& options) {
  const auto newest = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  const int version = std::min(newest, options.landlock);
  if (version <= 0) return 0;
  const Ruleset all = ruleset_of(version);
  const Fd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, size_of(version), 0)));
  if (!ruleset) return 0;
  for (const auto* place : kReadable) permit(ruleset, place, kRead);
  for (const auto* place : kWritable) permit(ruleset, place, kWrite & all.files);
  for (const auto& place : options.readable) permit(ruleset, place, kRead);
  for (const auto& place : options.writable) permit(ruleset, place, kWrite & all.files);
  return ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0 ? version : 0;
}

}  // namespace quarry::runner
