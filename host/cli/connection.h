#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/verb.h"
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
  /// `signals` must outlive it.
  explicit Connection(Signals& signals) : signals_(signals) {}
  virtual ~Connection() = default;

  using OnEvent = std::function<void(std::string_view type, std::string_view json)>;
  /// Calls one of the methods of the engine. The first interrupt cancels it (kCancelled). Progress
  /// is passed on as events of that type if available.
  virtual Result<std::string> call(const std::string& method, const std::string& params,
                                   const OnEvent& on_event) = 0;
  /// The same without progress.
  Result<std::string> call(const std::string& method, const std::string& params) {
    return call(method, params, [](std::string_view, std::string_view) {});
  }

  /// Receives an event; false if nobody reads the answer any more.
  using OnAnswer = std::function<bool(std::string_view type, std::string_view json)>;
  /// Asks and passes on each event until the last. A first interrupt stops the question, as the end
  /// of its reader does, and it ends with its `done` event; a second one returns at once
  /// (kCancelled).
  virtual Status ask(const std::string& params, const OnAnswer& on_answer) = 0;

  /// Builds the indexes that later questions need, which a server does by itself. To be called when
  /// the output is complete: it may take seconds. An interrupt leaves the rest to the next
  /// question; then false is returned.
  virtual bool finish_indexes(Terminal& /*terminal*/) { return true; }
  /// The same for vectors, until they are complete or cannot be built at present. May take hours.
  virtual bool finish_vectors(Terminal& /*terminal*/) { return true; }

 protected:
  [[nodiscard]] Signals& signals() const { return signals_; }

 private:
  Signals& signals_;
};

/// Configuration sources selected by the options and the environment.
config::Sources config_sources(const CommonOptions& common);

/// Directory of the plugins shipped with this program, ../lib/quarry/plugins beside it; empty if it
/// does not exist.
std::filesystem::path own_plugin_directory();

/// Directory of the plugins that "plugins add" installed; empty if the environment names no place.
std::filesystem::path installed_plugin_directory();

/// This program's executable.
std::filesystem::path program_path();

/// Plugins found with this configuration; runs none of their code.
Result<plugins::Found> find_plugins(const CommonOptions& common);

/// Types of resources that this configuration's plugins offer, by their manifests; of the program's
/// own plugins alone if the configuration cannot be read, which the engine reports.
std::vector<OfferedType> offered_types(const CommonOptions& common);

/// Options of an engine of this program.
engine::Options engine_options(const CommonOptions& common);

/// Requirements of a verb on the engine beyond the common options.
struct EngineRequirements {
  bool locked = false;                     ///< see engine::Options::locked
  bool store = false;                      ///< projects and tokens
  bool transports = false;                 ///< see engine::Options::transports
  bool watch = false;                      ///< see engine::Options::watch
  bool serves = false;                     ///< see engine::Options::serves; warnings go to the log
  bool quiet = false;                      ///< no warnings, unless the start fails
  std::function<void()> on_end = nullptr;  ///< see engine::Options::on_end
};

/// An engine in this process. Prints its problems as warnings.
Result<engine::EnginePointer> start_engine(Terminal& terminal, const CommonOptions& common,
                                           const EngineRequirements& requirements = {});

/// The same as a connection.
Result<std::unique_ptr<Connection>> connect_to_engine(Context& context,
                                                      const EngineRequirements& requirements);

/// The store of projects and tokens, not opened, in an engine that was started for it.
struct StartedStore {
  engine::EnginePointer engine;
  plugins::Store& store;
};

/// kUnsupported if no plugin offers the store of the configuration.
Result<StartedStore> start_store(Terminal& terminal, const CommonOptions& common);

/// The server at `url`; an unreachable one fails at the first call.
Result<std::unique_ptr<Connection>> connect_to_server(const std::string& url, Signals& signals);

/// The server that the options name, else connect_to_engine().
Result<std::unique_ptr<Connection>> connect(Context& context,
                                            const EngineRequirements& requirements = {});

/// Calls a method that prepares resources, and shows their progress until it has ended.
Result<std::string> call_with_progress(Context& context, Connection& connection,
                                       const std::string& method, const Json& params);

/// Connects and calls one method. The result is already printed if JSON is requested.
Result<Json> call_engine(Context& context, const std::string& method, const Json& params);

/// The same on an engine in this process with the store of projects and tokens.
Result<Json> call_store(Context& context, const std::string& method, const Json& params);

}  // namespace quarry::cli
