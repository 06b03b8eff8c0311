#pragma once

#include <string>

#include <sys/types.h>

namespace quarry {

/// Waits for the end of a child process, through signals: its status as waitpid(2) gives it, 0 if
/// there is no such child. [any thread]
int wait_for_child(pid_t child);

/// "exited with status 3", "was killed by signal 11 (Segmentation fault)". [any thread]
std::string child_end(int status);

}  // namespace quarry
