#pragma once

#include "base/error.h"
#include "base/file.h"
#include "config/config.h"
#include "corpus/query/encoder.h"

#include <quarry/transport.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {
class Store;
}

namespace quarry::engine {

/// Options of an engine. The defaults suit a program started by hand.
struct Options {
  config::Sources config;
  std::vector<std::filesystem::path> plugin_directories;  ///< searched before Config::plugins.path
  std::filesystem::path installed_plugins;  ///< searched after these, by its lock; may be empty
  std::filesystem::path cache_directory;    ///< empty = from the configuration
  std::filesystem::path state_directory;    ///< empty = the user's
  std::filesystem::path program;            ///< this executable, which is run to probe new plugins
  bool locked = false;                      ///< resources have the versions of quarry.lock, or fail
  bool watch = false;       ///< while transports serve, changed files are reloaded by themselves
  bool serves = false;      ///< a service: programs read its log, and failed questions are in it
  bool transports = false;  ///< load those that are enabled, for start_transports()
  bool store = false;       ///< use the store even if no transport for tokens is enabled
  std::shared_ptr<corpus::Encoder> encoder;  ///< null = that of the configuration, if there is one
  std::function<void()> on_end;  ///< a transport asks the program to end; may be empty [any]
  /// If start() fails, receives each plugin that could not be loaded, which may be the cause. Not
  /// called later; may be empty.
  std::function<void(const Error&)> on_plugin_problem = {};
};

/// A position in the events of one question. One thread at a time.
class Reader {
 public:
  virtual ~Reader() = default;  ///< the wake function is not called after this returns
  using Visit =
      std::function<void(std::uint64_t number, std::string_view type, std::string_view json)>;
  /// Implements quarry_engine.read.
  virtual quarry_read read(std::size_t max_bytes, const Visit& visit) = 0;
};

/// An address on which a transport listens, in the transport's form: "http://127.0.0.1:4100".
struct Listening {
  std::string transport;
  std::string address;
};

class Engine;

/// Shuts an engine down without grace unless shutdown() was called, and destroys it, unless a
/// transport that has not returned may use it: then the process must end by _exit
/// (plugins::abandoned_calls).
struct EndEngine {
  void operator()(Engine* engine) const;
};
using EnginePointer = std::unique_ptr<Engine, EndEngine>;

/// The façade used by every transport and every command. Owns configuration, plugins, services,
/// resources and questions, and defines the order in which they start and end. Thread-safe.
class Engine {
 public:
  /// Loads configuration and plugins. A plugin that cannot be loaded is one of problems(); a
  /// configuration with mistakes is an error.
  static Result<EnginePointer> start(Options options);
  virtual ~Engine() = default;

  /// Implements quarry_engine.call: calls a method of MethodTable. `reply` is called exactly once,
  /// on any thread, perhaps before this returns.
  using Reply = std::function<void(Result<std::string>)>;
  /// Receives the progress of resources that a method prepares, as `resource.progress` events. May
  /// be empty. [any]
  using OnProgress = std::function<void(std::string_view json)>;
  virtual std::uint64_t call(std::string_view method, std::string_view params, Reply reply,
                             OnProgress progress) = 0;
  std::uint64_t call(std::string_view method, std::string_view params, Reply reply) {
    return call(method, params, std::move(reply), nullptr);
  }
  virtual void cancel(std::uint64_t handle) = 0;
  /// Calls a method and waits for its reply. Not on an engine thread.
  Result<std::string> call_and_wait(std::string_view method, std::string_view params);

  /// Implements quarry_engine.open_reader; null if there is no such question.
  virtual std::unique_ptr<Reader> open_reader(std::string_view question, std::uint64_t after,
                                              std::function<void()> wake) = 0;

  /// Starts the enabled transports (Options::transports), or those of them that `only` names;
  /// returns their addresses. If one cannot start, the others are stopped again and its error is
  /// returned.
  virtual Result<std::vector<Listening>> start_transports(const std::vector<std::string>& only) = 0;
  Result<std::vector<Listening>> start_transports() { return start_transports({}); }

  /// Tells the process that is to take the place of this one of every question here, from now to
  /// the end: see QuestionSender. Replaces a process that was told before.
  virtual Status send_questions(const Fd& socket) = 0;
  /// Takes over the questions of the process before this one: see QuestionReceiver. Waits until
  /// they can be read here, at most for `limit`, which is an error. Once, before start_transports.
  virtual Status receive_questions(const Fd& socket, std::chrono::milliseconds limit) = 0;
  /// Stops the transports: they accept nobody new, and their connections have `limit` to end while
  /// questions run and begin as before. Blocks until they have ended, and all questions. A
  /// shutdown() meanwhile stops the questions after its grace, which ends the streams.
  virtual void drain(std::chrono::milliseconds limit) = 0;

  /// Calls `act` once, when no index of a snapshot is being built or waits to be, perhaps before
  /// this returns; a shutdown ends the wait too. [any]
  virtual void when_indexed(std::function<void()> act) = 0;

  /// The same for the vectors of passages: when all are built, or none can be at present. [any]
  virtual void when_encoded(std::function<void()> act) = 0;

  /// The store of projects and tokens as it is configured, not opened; null if no plugin offers it.
  /// Requires Options::store; valid until the shutdown.
  [[nodiscard]] virtual plugins::Store* store() = 0;

  /// Problems that did not prevent the start, each one sentence with its hint.
  [[nodiscard]] virtual std::vector<std::string> problems() const = 0;

  /// Writes an error of its program to the log. [any]
  virtual void log_error(const Error& error) = 0;

  /// Rejects new questions, waits for running ones up to the grace time, stops transports, joins
  /// every thread. Idempotent; blocks.
  virtual void shutdown() = 0;
  /// Shuts down without grace unless shutdown() was called. False if the engine must stay, because
  /// a transport that has not returned may use it.
  [[nodiscard]] virtual bool end() = 0;
};

}  // namespace quarry::engine
