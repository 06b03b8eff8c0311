#pragma once

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/signals.h"
#include "engine/engine.h"
#include "plugins/registry.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::cli {

/// Executes verbs, on an engine in this process or on a server. Used from one thread.
class Connection {
 public:
  virtual ~Connection() = default;

  /// One of the methods listed in <quarry/transport.h>.
  virtual Result<std::string> call(const std::string& method, const std::string& params) = 0;

  using OnEvent = std::function<void(std::string_view type, std::string_view json)>;
  /// Asks and passes on each event until the last. A first interrupt stops the question, which then
  /// ends with its `done` event; a second one returns at once (kCancelled).
  virtual Status ask(const std::string& params, Signals& signals, const OnEvent& on_event) = 0;

  /// Calls a long-running method. The first interrupt cancels it (kCancelled). Progress is passed
  /// on as events of that type if available.
  virtual Result<std::string> call_long(const std::string& method, const std::string& params,
                                        Signals& signals, const OnEvent& on_event) = 0;

  /// Problems that did not prevent the start.
  [[nodiscard]] virtual std::vector<std::string> problems() const { return {}; }
};

/// Configuration sources selected by the arguments and the environment.
config::Sources config_sources(const Arguments& arguments);

/// Directory of the plugins shipped with this program: ../lib/quarry/plugins beside it.
std::filesystem::path own_plugin_directory();

/// This program's executable.
std::filesystem::path program_path();

/// Plugins found with this configuration; runs none of their code.
Result<plugins::Found> find_plugins(const Arguments& arguments);

/// Requirements of a verb on the engine beyond the arguments.
struct EngineRequirements {
  bool store = false;                      ///< projects and tokens
  std::function<void()> on_end = nullptr;  ///< see engine::Options::on_end
};

/// An engine in this process.
Result<std::unique_ptr<engine::Engine>> start_engine(const Arguments& arguments,
                                                     const EngineRequirements& requirements = {});

/// The same with the store of projects and tokens.
Result<std::unique_ptr<Connection>> connect_to_store(const Arguments& arguments);

/// An engine in this process, or the server that the arguments name.
Result<std::unique_ptr<Connection>> connect(const Arguments& arguments);

/// The server at `url`; an unreachable one fails at the first call.
Result<std::unique_ptr<Connection>> connect_to_server(const std::string& url);

}  // namespace quarry::cli
