#include "base/child.h"

#include <cerrno>
#include <cstring>

#include <sys/wait.h>

namespace quarry {

int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

std::string child_end(int status) {
  if (!WIFSIGNALED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

}  // namespace quarry
