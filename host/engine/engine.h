#pragma once

#include "base/error.h"
#include "config/config.h"

#include <quarry/transport.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// How an engine is set up. Everything has a default that a program started by hand wants.
struct Options {
  config::Sources config;
  std::vector<std::filesystem::path> plugin_directories;  ///< searched before Config::plugins.path
  std::filesystem::path cache_directory;                  ///< empty = from the configuration
  std::filesystem::path state_directory;                  ///< empty = the user's
  std::filesystem::path program;  ///< our own executable, which probes new plugins
  bool locked = false;            ///< resources are what quarry.lock says, or fail
  bool store = false;             ///< the store is used though no transport for tokens is enabled
  std::function<void()> on_end;   ///< a transport asks the program to end; may be empty [any]
};

/// A position in the events of one question. One thread at a time.
class Reader {
 public:
  virtual ~Reader() = default;  ///< the wake function is not called after this returned
  using Visit =
      std::function<void(std::uint64_t number, std::string_view type, std::string_view json)>;
  /// As quarry_engine.read.
  virtual quarry_read read(std::size_t max_bytes, const Visit& visit) = 0;
};

/// The façade: what every transport and every command talks to. Owns configuration, plugins,
/// services, resources and questions, and the order in which they start and end. Thread-safe.
class Engine {
 public:
  /// Loads configuration and plugins. A plugin that cannot be loaded is a problem, not a failure;
  /// a configuration with mistakes is a failure.
  static Result<std::unique_ptr<Engine>> start(Options options);
  /// Shuts down without grace unless shutdown() was called.
  virtual ~Engine() = default;

  /// As quarry_engine.call: one of the methods listed in <quarry/transport.h>. `reply` is called
  /// exactly once, on any thread, perhaps before this returns.
  using Reply = std::function<void(Result<std::string>)>;
  /// Told how far the resources are that a method prepares, as `resource.progress` events. May be
  /// empty. [any thread]
  using OnProgress = std::function<void(std::string_view json)>;
  virtual std::uint64_t call(std::string_view method, std::string_view params, Reply reply,
                             OnProgress progress) = 0;
  std::uint64_t call(std::string_view method, std::string_view params, Reply reply) {
    return call(method, params, std::move(reply), nullptr);
  }
  virtual void cancel(std::uint64_t handle) = 0;
  /// call() and wait for its reply. Not on an engine thread.
  Result<std::string> call_and_wait(std::string_view method, std::string_view params);

  /// As quarry_engine.open_reader; null when there is no such question.
  virtual std::unique_ptr<Reader> open_reader(std::string_view question, std::uint64_t after,
                                              std::function<void()> wake) = 0;

  /// Starts every enabled transport, or of these those that `only` names; answers what they listen
  /// on. A transport that cannot start is a failure (the others are stopped again).
  virtual Result<std::vector<std::string>> start_transports(
      const std::vector<std::string>& only) = 0;
  Result<std::vector<std::string>> start_transports() { return start_transports({}); }

  /// What is wrong but did not prevent the start, one sentence with its hint each.
  [[nodiscard]] virtual std::vector<std::string> problems() const = 0;

  /// Refuses new questions, gives running ones the grace time, stops transports, joins every
  /// thread. Idempotent; blocks.
  virtual void shutdown() = 0;
};

}  // namespace quarry::engine
