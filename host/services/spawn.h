#pragma once

#include "base/error.h"
#include "base/file.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::services {

/// A running child, leader of its own process group, with our ends of its streams (non-blocking).
struct Child {
  pid_t pid = 0;
  Fd ended;  ///< readable once it ended (pidfd)
  Fd input;
  Fd output;
  Fd error_output;
};

/// Starts `program` (a path). It inherits no descriptor but its three streams and no signal
/// setting, and dies with the calling thread. The caller reaps it.
Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const std::string& directory);

}  // namespace quarry::services
