#pragma once

#include "base/clock.h"
#include "engine/cache_size.h"
#include "engine/current_state.h"
#include "engine/methods/method_table.h"
#include "engine/question_registry.h"
#include "services/metrics.h"
#include "services/workers.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace quarry::engine {

/// health, metrics, host.state and host.end.
class HostMethods {
 public:
  /// The references must outlive it.
  struct Parts {
    const CurrentState& state;
    const QuestionRegistry& questions;
    services::Metrics& metrics;
    services::WorkerPool& workers;
    const Clock& clock;
    std::function<std::vector<std::string>()> problems;  ///< as of Engine::problems() [any]
    std::function<void()> on_end;                        ///< as in Options; may be empty [any]
    std::filesystem::path cache;  ///< of snapshots, their indexes and plugins
  };
  explicit HostMethods(Parts parts)
      : parts_(std::move(parts)), cache_size_(parts_.cache, parts_.workers, parts_.clock) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer health(const Json& params);
  Answer metrics(const Json& params);
  Answer describe_state(const Json& params);
  Answer end(const Json& params);

  [[nodiscard]] std::vector<services::Reading> readings();

  const Parts parts_;
  CacheSize cache_size_;
};

}  // namespace quarry::engine
