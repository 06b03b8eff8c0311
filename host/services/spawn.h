#pragma once

#include "base/error.h"
#include "base/file.h"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::services {

/// A running child, leader of its own process group, with our ends of its streams (non-blocking).
struct Child {
  pid_t pid = 0;
  pid_t guard = 0;  ///< ends the group when this process is gone; 0 when there is none
  Fd alive;         ///< closed with this process, which the guard sees
  Fd ended;         ///< readable once it ended (pidfd)
  Fd input;
  Fd output;
  Fd error_output;
};

/// What one process may take, in bytes; 0 = no limit.
struct ProcessLimits {
  std::uint64_t file = 0;    ///< the largest file it writes
  std::uint64_t memory = 0;  ///< of its own
};

/// Starts `program` (a path). It inherits no descriptor but its three streams and no signal
/// setting, and dies with the calling thread; what it started dies with the calling process. The
/// caller ends the group with SIGKILL, then reaps the child and its guard.
Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const std::string& directory,
                    const ProcessLimits& limits = {});

}  // namespace quarry::services
