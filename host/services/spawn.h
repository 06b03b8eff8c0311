#pragma once

#include "base/error.h"
#include "base/file.h"
#include "services/group_guard.h"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::services {

/// A running child, leader of its own process group, with the host's ends of its streams
/// (non-blocking).
struct Child {
  pid_t pid = 0;
  GuardedGroup group;
  Fd ended;  ///< readable once it ended (pidfd)
  Fd input;
  Fd output;
  Fd error_output;
};

/// Limits of one process in bytes; 0 = no limit.
struct ProcessLimits {
  std::uint64_t file = 0;    ///< largest file it may write
  std::uint64_t memory = 0;  ///< private memory
};

/// Starts `program` (a path). It inherits no descriptor except its three streams and no signal
/// setting. It is killed when the calling thread ends, its descendants when the calling process
/// ends. The caller ends the group with SIGKILL, gives up `group`, then reaps the child.
Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const std::string& directory,
                    const ProcessLimits& limits = {});

}  // namespace quarry::services
