#pragma once

#include "engine/engine.h"
#include "engine/state.h"
#include "plugins/transport.h"

#include <quarry/transport.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace quarry::engine {

/// Makes the transport of this name, with its table if there is one. ConfigError with the place of
/// a mistake. [control]
Result<std::shared_ptr<plugins::Transport>> make_transport(const config::Config& config,
                                                           plugins::Registry& registry,
                                                           const std::string& name);

/// The running transports of an engine. start() and clear() by one thread; stop() by any.
class Transports {
 public:
  /// Starts the enabled transports of `state`, or those of them that `only` names; returns their
  /// addresses. `engine` must be valid until all have stopped. If one cannot start, the others are
  /// stopped again and its error is returned.
  Result<std::vector<Listening>> start(const State& state, const std::vector<std::string>& only,
                                       const quarry_engine* engine);
  /// Stops each: its connections have `grace` to end. One call at a time; another one waits.
  void stop(std::chrono::milliseconds grace);
  /// False once one has not returned from stop(): it may use the engine for ever.
  [[nodiscard]] bool have_stopped() const { return stopped_; }
  /// Destroys them. After stop().
  void clear() { transports_.clear(); }

 private:
  /// The addresses of a transport that has started, and is then one of transports_.
  Result<std::vector<std::string>> start_one(const State& state, const std::string& name,
                                             const quarry_engine* engine);

  std::mutex stopping_;
  std::vector<std::shared_ptr<plugins::Transport>> transports_;
  std::atomic<bool> stopped_ = true;
};

}  // namespace quarry::engine
