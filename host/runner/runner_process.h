#pragma once

#include "base/error.h"
#include "base/file.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::runner {

/// Descriptor of the connection in a runner process.
inline constexpr int kRunnerSocket = 3;

/// The child that runs a plugin: leader of a process group of its own, with an almost empty
/// environment and no descriptors but the connection and a pipe, in which its standard output and
/// standard error end.
class RunnerProcess {
 public:
  struct Ended {
    /// Predicate: "exited with status 3", "was killed by signal 11 (Segmentation fault)"; empty if
    /// it ended only by finish().
    std::string phrase;
    std::uint64_t peak = 0;  ///< of its memory, in bytes
  };

  /// Starts `command`, whose first part is a path. The child asks the system to kill it when the
  /// calling thread ends (PR_SET_PDEATHSIG), so the thread must live as long as the child.
  static Result<RunnerProcess> start(const std::vector<std::string>& command, Fd socket);
  RunnerProcess(RunnerProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        ended_(std::move(other.ended_)),
        output_(std::move(other.output_)) {}
  RunnerProcess& operator=(RunnerProcess&&) = delete;
  ~RunnerProcess();

  /// 0 after finish().
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable once the child has ended.
  [[nodiscard]] int ended() const { return ended_.get(); }
  /// The child's output; reading it never waits.
  [[nodiscard]] int output() const { return output_.get(); }
  /// Waits for the end of the child up to `patience`, kills what is left of its group and reaps it.
  /// Once.
  Ended finish(std::chrono::milliseconds patience);

 private:
  RunnerProcess(pid_t pid, Fd ended, Fd output)
      : pid_(pid), ended_(std::move(ended)), output_(std::move(output)) {}
  pid_t pid_;  // 0 = reaped
  Fd ended_;
  Fd output_;
};

}  // namespace quarry::runner
