#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quarry::runner {

/// False under a sanitizer, which reserves more memory than any limit.
inline constexpr bool kLimitsMemory =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
    false;
#else
    true;
#endif
#else
    true;
#endif

/// Version of Landlock's interface that this code knows; that of Linux 6.1 is 2.
inline constexpr int kNewestLandlock = 6;

/// Limits of a runner process.
struct SandboxOptions {
  std::vector<std::filesystem::path> readable;  ///< files and directories beside the system's
  std::vector<std::filesystem::path> writable;  ///< directories
  std::uint64_t memory = 0;                     ///< private memory in bytes; 0 = no limit
  /// Newest version of Landlock's interface that is used. Tests use an older one.
  int landlock = kNewestLandlock;
};

/// What holds in this process; the rest is missing in the kernel.
struct Sandbox {
  int landlock = 0;      ///< version of the interface that is used; 0 = files are not restricted
  bool seccomp = false;  ///< system calls are restricted to those of a list
  std::uint64_t memory = 0;  ///< as in SandboxOptions

  /// {"landlock": 6, "seccomp": true, "memory": 1073741824}
  [[nodiscard]] std::string json() const;
};

/// Restricts this process and all its future threads for ever. Call it while there is one thread.
///
/// Files: libraries, time zones and /usr/share of the system and the given places can be read, the
/// given directories be written, nothing be executed. System calls: those that are listed in
/// sandbox_calls.cpp. Others fail with EPERM: sockets, programs, child processes, memory that no
/// limit counts, signals, priorities and processors of other processes, watching files, changing
/// modes, owners and times by path, raising limits, everything about the system. Reserving disk
/// space is not supported: what is written is counted.
Sandbox enter_sandbox(const SandboxOptions& options);

/// Result of enter_sandbox with this limit of memory in this kernel; this process stays as it is.
Sandbox available_sandbox(std::uint64_t memory);

/// Parts of enter_sandbox, which need PR_SET_NO_NEW_PRIVS. 0 if the kernel has no Landlock.
int restrict_files(const SandboxOptions& options);
/// Denies what this version of Landlock does not restrict. False if the kernel has no seccomp
/// filters.
bool restrict_system_calls(int landlock);

}  // namespace quarry::runner
