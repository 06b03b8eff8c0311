#pragma once

#include "cli/upgrade/control_socket.h"
#include "cli/upgrade/successor.h"
#include "cli/verb.h"
#include "engine/engine.h"
#include "services/service_manager.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

/// A server after its transports have started: it obeys signals, the operator's commands and the
/// service manager. One thread.
class Service {
 public:
  /// From now on commands of the operator are accepted, and answered by run(). `status`: for the
  /// service manager.
  Service(Context& context, engine::Engine& engine, const services::ServiceManager& manager,
          std::vector<engine::Listening> listening, std::string status);

  /// Until a signal ends it: false. True once another process has taken its place.
  bool run();
  /// After that: until the last stream has ended, or a signal comes.
  void drain();

 private:
  /// A process that starts to take the place of this one, and who asked for it.
  struct Upgrade {
    ControlSocket::Caller caller;
    Successor successor;
    std::chrono::steady_clock::time_point deadline;
  };

  /// Until a sign of life or the end of an upgrade is due.
  [[nodiscard]] std::optional<std::chrono::milliseconds> time_left() const;
  void reload();
  void tell_alive();
  void begin(ControlSocket::Caller caller);
  /// True once the new program listens.
  bool watch_successor();

  Context& context_;
  engine::Engine& engine_;
  const services::ServiceManager& manager_;
  const std::vector<engine::Listening> listening_;
  const std::string status_;
  const CommandLine command_ = CommandLine::of_this_process();
  Result<ControlSocket> control_ = ControlSocket::open();
  std::optional<std::chrono::milliseconds> pause_;  ///< between two signs of life
  std::chrono::steady_clock::time_point told_alive_ = std::chrono::steady_clock::now();
  std::optional<Upgrade> upgrade_;
};

}  // namespace quarry::cli
