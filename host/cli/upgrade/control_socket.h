#pragma once

#include "base/error.h"
#include "base/file.h"
#include "cli/signals.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace quarry::cli {

/// The socket on which a server takes commands of its operator: abstract, named after its process,
/// for the server's own user and root. A command and its answer are one packet each.
class ControlSocket {
 public:
  static Result<ControlSocket> open();

  /// One that asks.
  struct Caller {
    Fd socket;
    std::string command;

    /// Not waiting for one that does not read.
    void answer(std::string_view text) const;
  };
  /// The next caller with the right to ask; nothing if none waits. Waits a moment for its command.
  std::optional<Caller> accept();
  /// Has input when a caller waits.
  [[nodiscard]] int descriptor() const { return socket_.get(); }

 private:
  explicit ControlSocket(Fd socket) : socket_(std::move(socket)) {}

  Fd socket_;
};

/// Processes that have a ControlSocket and belong to this user, or to anybody if this user is root.
std::vector<pid_t> controlled_servers();

/// The answer of a server to a command; waits for it as long as the server lives. kCancelled after
/// an interrupt, which the server is not told.
Result<std::string> command_server(pid_t server, std::string_view command, Signals& signals);

}  // namespace quarry::cli
