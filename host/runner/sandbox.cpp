#include "runner/sandbox.h"

#include "base/json_writer.h"

#include <thread>

#include <sys/prctl.h>
#include <sys/resource.h>

namespace quarry::runner {
namespace {

constexpr rlim_t kMostDescriptors = 256;
/// Timers and queued signals, of all processes of the user together.
constexpr rlim_t kMostSignals = 256;
/// Address space beyond the limit of memory: reserved by threads and allocators, and unused. It
/// bounds the tables of pages.
constexpr rlim_t kMostReserved = 64ull << 30;
constexpr rlim_t kLargestFile = 4ull << 30;
/// Without seccomp, of all processes of the user together.
constexpr rlim_t kMostProcesses = 512;

bool limit(decltype(RLIMIT_DATA) what, rlim_t most) {
  const rlimit both{most, most};
  return ::setrlimit(what, &both) == 0;
}

}  // namespace

std::string Sandbox::json() const {
  return json_object([&](JsonWriter& json) {
    json.member("landlock", landlock).member("seccomp", seccomp).member("memory", memory);
  });
}

Sandbox enter_sandbox(const SandboxOptions& options) {
  Sandbox sandbox;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, kMostDescriptors);
  limit(RLIMIT_FSIZE, kLargestFile);
  limit(RLIMIT_SIGPENDING, kMostSignals);
  if (kLimitsMemory && options.memory != 0 && limit(RLIMIT_DATA, options.memory)) {
    sandbox.memory = options.memory;
    limit(RLIMIT_AS, options.memory + kMostReserved);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return sandbox;
  sandbox.landlock = restrict_files(options);
  sandbox.seccomp = restrict_system_calls(sandbox.landlock);
  if (!sandbox.seccomp) limit(RLIMIT_NPROC, kMostProcesses);
  return sandbox;
}

Sandbox available_sandbox(std::uint64_t memory) {
  Sandbox found{.memory = kLimitsMemory ? memory : 0};
  // Landlock and seccomp restrict one thread, which ends at once.
  std::thread([&found] {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    found.landlock = restrict_files({});
    found.seccomp = restrict_system_calls(found.landlock);
  }).join();
  return found;
}

}  // namespace quarry::runner
