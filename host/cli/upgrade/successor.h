#pragma once

#include "base/error.h"
#include "base/file.h"
#include "cli/upgrade/listening_sockets.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace quarry::cli {

/// How this process was started. Its program is the file that the shell found, so that a symbolic
/// link to a new version is followed.
struct CommandLine {
  std::filesystem::path program;       ///< absolute
  std::vector<std::string> arguments;  ///< with the name of the program

  /// From /proc/self/cmdline; empty arguments if that cannot be read.
  static CommandLine of_this_process();
};

/// The process that is to take the place of this one: the program as it is on the disk now, with
/// the same command line, directory and environment, and the sockets as sd_listen_fds(3) passes
/// them. It is connected to this process by a stream socket. Destroyed before it listens, it is
/// killed.
class Successor {
 public:
  static Result<Successor> start(const CommandLine& command, std::span<const NamedSocket> sockets);
  Successor(Successor&& other) noexcept;
  Successor& operator=(Successor&&) = delete;
  ~Successor();

  [[nodiscard]] pid_t id() const { return id_; }
  /// This end of the stream socket.
  [[nodiscard]] const Fd& connection() const { return connection_; }
  /// Has input when the process listens or has ended.
  [[nodiscard]] int descriptor() const { return listens_.get(); }
  /// True once it listens, false while it starts, an error if it has ended before. Does not block.
  Result<bool> listens();
  /// Has input when the process has ended.
  [[nodiscard]] int end_descriptor() const { return process_.get(); }
  /// Its status as waitpid(2) gives it, once; nothing while it runs. For one that listens.
  std::optional<int> ended();

 private:
  Successor(pid_t id, std::string program, Fd listens, Fd connection);

  pid_t id_;
  std::string program_;
  Fd process_;
  Fd listens_;
  Fd connection_;
  bool starts_ = true;
};

/// In the process that Successor::start began: what it tells its predecessor, which takes an end
/// before that for a failure. In any other process telling has no effect.
class Predecessor {
 public:
  /// To be called before another process is started, which would have the descriptors too.
  static Predecessor of_environment();
  void tell_that_this_listens();
  /// This end of the stream socket; none in any other process.
  [[nodiscard]] const Fd& connection() const { return connection_; }

 private:
  Predecessor(Fd told, Fd connection)
      : told_(std::move(told)), connection_(std::move(connection)) {}

  Fd told_;
  Fd connection_;
};

}  // namespace quarry::cli
