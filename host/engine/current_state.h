#pragma once

#include "base/error.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/state.h"
#include "plugins/registry.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace quarry::engine {

/// The difference that a reload made.
struct Reloaded {
  std::vector<plugins::PluginChange> plugins;
  std::vector<std::string> problems;  ///< that the state before did not have
};

/// The state that new calls and questions use, and the files that it is loaded from. Thread-safe.
class CurrentState {
 public:
  /// Both must outlive it.
  CurrentState(const Options& options, HostServices& host_services)
      : options_(options), host_services_(host_services) {}

  /// Makes the first state; called once, before any other method.
  Status begin(config::Config config, std::shared_ptr<plugins::Registry> registry);
  /// Never null after begin(). [any]
  [[nodiscard]] std::shared_ptr<const State> now() const;

 private:
  friend class ConfigurationEdit;

  Status reload();
  Result<Reloaded> reload_with_plugins();
  Status load(config::Config config, std::shared_ptr<plugins::Registry> registry);
  Status activate(std::shared_ptr<const State> made);
  void report(const Reloaded& reloaded);

  const Options& options_;
  HostServices& host_services_;
  std::mutex edit_mutex_;  ///< locked before mutex_
  mutable std::mutex mutex_;
  std::shared_ptr<const State> state_;
  std::vector<std::weak_ptr<const State>> states_;  ///< includes older ones of running questions
};

/// A change of the configuration: one at a time, until this is destroyed. [worker]
class ConfigurationEdit {
 public:
  /// Waits for the running change. `current` must outlive this.
  explicit ConfigurationEdit(CurrentState& current)
      : current_(current), lock_(current.edit_mutex_) {}

  [[nodiscard]] const config::Sources& sources() const { return current_.options_.config; }
  /// Reads the configuration again, for the plugins that are loaded; an invalid one changes
  /// nothing.
  Status reload() { return current_.reload(); }
  /// Reads configuration and plugins again (Registry::reload); a failure changes nothing. Tells the
  /// log what has changed.
  Result<Reloaded> reload_with_plugins() { return current_.reload_with_plugins(); }

 private:
  CurrentState& current_;
  const std::lock_guard<std::mutex> lock_;
};

}  // namespace quarry::engine
