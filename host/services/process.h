#pragma once

#include "services/call.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

struct ProcessSpec {
  std::string program;                   ///< a bare name, found in PATH, or an absolute path
  std::vector<std::string> arguments;    ///< without the program
  std::vector<std::string> environment;  ///< "NAME=value"; PATH and HOME are added when missing
  std::filesystem::path directory = "/";
  std::string_view input;                    ///< bytes for standard input, borrowed for the run
  std::uint64_t output_limit = 64ull << 20;  ///< bytes for each of the two streams
  std::uint64_t file_limit = 0;              ///< largest file it may write, in bytes; 0 = no limit
  std::uint64_t memory_limit = 0;  ///< private memory of each process, in bytes; 0 = no limit
};

/// Receives output as it arrives, on the calling thread. A failure kills the program and becomes
/// the result of run. An empty function discards the bytes.
struct ProcessSink {
  std::function<Status(std::string_view bytes)> output;
  std::function<Status(std::string_view bytes)> error_output;
};

/// Exit status of a program, or the signal (not 0) that ended it.
struct ProcessExit {
  int exit = 0;
  int signal = 0;
};

/// Runs programs without a shell, each in a process group of its own that ends with the run:
/// processes left in the background are killed too. [worker, several at once]
class ProcessRunner {
 public:
  /// `path`: directories between ':'; `home`: the HOME of the programs. `grace`: time between
  /// SIGTERM and SIGKILL.
  ProcessRunner(std::string path, std::string home,
                std::chrono::milliseconds grace = std::chrono::seconds(2))
      : path_(std::move(path)), home_(std::move(home)), grace_(grace) {}
  /// With PATH and HOME of this process; "/usr/bin:/bin" and "/" where they are not set.
  static ProcessRunner of_environment();

  /// Blocks until the program has ended and its output was passed on. kNotFound if there is no such
  /// program, kResourceExhausted beyond the limit, call.check()'s failure when the call is over. A
  /// program to be killed gets SIGTERM, and SIGKILL after the grace; output in that time is not
  /// read.
  Result<ProcessExit> run(const ProcessSpec& spec, const Call& call, const ProcessSink& sink) const;

 private:
  [[nodiscard]] Result<std::string> find(const std::string& program) const;

  std::string path_;
  std::string home_;
  std::chrono::milliseconds grace_;
};

}  // namespace quarry::services
