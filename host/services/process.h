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
  std::string_view input;                    ///< bytes for standard input, lent for the run
  std::uint64_t output_limit = 64ull << 20;  ///< bytes, of each of the two streams
  std::uint64_t file_limit = 0;    ///< bytes of the largest file it may write; 0 = no limit
  std::uint64_t memory_limit = 0;  ///< bytes of memory of its own, each process; 0 = no limit
};

/// Takes output as it comes, on the calling thread. A failure kills the program and is what run
/// returns. An empty function drops the bytes.
struct ProcessSink {
  std::function<Status(std::string_view bytes)> output;
  std::function<Status(std::string_view bytes)> error_output;
};

/// How a program ended: by exit, or by a signal other than 0.
struct ProcessExit {
  int exit = 0;
  int signal = 0;
};

/// Runs programs without a shell, each in a process group of its own that ends with the run: what
/// the program left running in the background is killed too. [worker, several at once]
class ProcessRunner {
 public:
  /// `path`: directories between ':'; `home`: the HOME of the programs.
  /// `grace`: how long a program that is to stop may take after SIGTERM.
  ProcessRunner(std::string path, std::string home,
                std::chrono::milliseconds grace = std::chrono::seconds(2))
      : path_(std::move(path)), home_(std::move(home)), grace_(grace) {}

  /// Blocks until the program ended and its output was taken. kNotFound when there is no such
  /// program, kResourceExhausted beyond the limit, call.check()'s failure when the call is over. A
  /// killed program gets SIGTERM, and SIGKILL after the grace; what it still prints then is not
  /// read.
  Result<ProcessExit> run(const ProcessSpec& spec, const Call& call, const ProcessSink& sink) const;

 private:
  [[nodiscard]] Result<std::string> find(const std::string& program) const;

  std::string path_;
  std::string home_;
  std::chrono::milliseconds grace_;
};

}  // namespace quarry::services
