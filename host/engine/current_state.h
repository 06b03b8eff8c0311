#pragma once

#include "base/error.h"
#include "config/config.h"
#include "engine/state.h"

#include <memory>
#include <mutex>
#include <vector>

namespace quarry::engine {

/// The state that new calls and questions use, and the files that it is loaded from. Thread-safe.
class CurrentState {
 public:
  /// `host_services` must outlive it. With `locked`, versions are those of the lock file.
  CurrentState(config::Sources sources, bool locked, HostServices& host_services)
      : sources_(std::move(sources)), locked_(locked), host_services_(host_services) {}

  /// Makes the first state; called once, before any other method.
  Status begin(config::Config config);
  /// Never null after begin(). [any]
  [[nodiscard]] std::shared_ptr<const State> now() const;

 private:
  friend class ConfigurationEdit;

  Status reload();
  Status load(config::Config config);
  Status activate(std::shared_ptr<const State> made);

  const config::Sources sources_;
  const bool locked_;
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

  [[nodiscard]] const config::Sources& sources() const { return current_.sources_; }
  /// Reads the configuration again; an invalid one changes nothing.
  Status reload() { return current_.reload(); }

 private:
  CurrentState& current_;
  const std::lock_guard<std::mutex> lock_;
};

}  // namespace quarry::engine
