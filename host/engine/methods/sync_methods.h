#pragma once

#include "ask/question.h"
#include "base/clock.h"
#include "base/executor.h"
#include "engine/current_state.h"
#include "engine/methods/method_table.h"
#include "resources/library.h"

#include <string>
#include <vector>

namespace quarry::engine {

/// resources.sync, resources.kept, resources.show, resources.file (file_methods.cpp),
/// resources.lock (lock_methods.cpp) and cache.clear: the configured resources and their snapshots.
class SyncMethods {
 public:
  /// All must outlive it.
  SyncMethods(const CurrentState& state, resources::Library& library, const Clock& clock,
              Executor& workers)
      : state_(state), library_(library), clock_(clock), workers_(workers) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  void sync(const Json& params, const Task& task);
  Answer kept(const Json& params);
  void show(const Json& params, const Task& task);
  void file(const Json& params, const Task& task);
  void lock(const Json& params, const Task& task);
  Answer clear_cache(const Json& params);

  /// The resources of a sync; all if `name` is empty.
  static Result<std::vector<ask::WantedResource>> resources_to_sync(const State& state,
                                                                    const std::string& name);

  const CurrentState& state_;
  resources::Library& library_;
  const Clock& clock_;
  Executor& workers_;
};

}  // namespace quarry::engine
