#pragma once

#include "resources/eviction.h"
#include "resources/index_stage.h"
#include "resources/indexing_leases.h"
#include "resources/last_states.h"
#include "resources/library.h"
#include "resources/preparation_runs.h"
#include "resources/sources.h"
#include "resources/space.h"
#include "resources/store.h"
#include "resources/vector_builder.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::resources {

/// Shared dependencies of preparations.
class PreparationContext {
 public:
  PreparationContext(const Options& the_options, const LibraryDependencies& the_dependencies,
                     Store& the_store, Eviction& the_eviction, Space& the_space,
                     LastStates& the_last_states, Sources& the_sources,
                     IndexStages& the_index_stages, VectorBuilder& the_vectors,
                     PreparationRuns& the_runs)
      : options(the_options),
        dependencies(the_dependencies),
        store(the_store),
        eviction(the_eviction),
        space(the_space),
        last_states(the_last_states),
        sources(the_sources),
        index_stages(the_index_stages),
        vectors(the_vectors),
        runs(the_runs) {}

  const Options& options;
  const LibraryDependencies& dependencies;
  Store& store;
  Eviction& eviction;
  Space& space;
  LastStates& last_states;
  Sources& sources;
  IndexStages& index_stages;
  VectorBuilder& vectors;
  PreparationRuns& runs;

  /// Records `leased` as the snapshot used for an order.
  void answered(const Order& order, const Leased& leased) const {
    last_states.note(order.key, leased.stored->name, dependencies.clock.steady_now());
  }
  enum class Arrival { kNew, kExisting };
  /// Maintains a just opened snapshot in the background: builds its indexes, stage by stage, hands
  /// it to the builder of vectors after the first one, and after each stage removes the states it
  /// replaces and, if it is new, evicts others. Indexes are built for one segment at a time, so
  /// that memory for them is bounded, and snapshots take turns, so that none waits for a large one.
  void maintain(const Leased& leased, Arrival arrival) const;
  /// On a full disk, evicts enough for about `bytes` bytes of text and their indexes. False if
  /// nothing was left to evict, so that a retry would fail too.
  [[nodiscard]] bool free_space(std::uint64_t bytes) const;

 private:
  struct Maintenance {
    struct Stage {
      const IndexStage* stage;
      std::shared_ptr<IndexingLease> lease;
    };
    std::vector<Stage> stages;
    std::string replaces;  ///< source key of the states that are removed in the end; may be empty
    Arrival arrival;
  };
  using MaintenancePointer = std::shared_ptr<const Maintenance>;
  void index_in_turn(const MaintenancePointer& maintenance, std::size_t number) const;
  /// Builds the index of the next segment. False if there is none, or it failed.
  [[nodiscard]] bool build_next(const IndexStage& stage, IndexingLease& lease) const;
  Status build_index(const IndexStage& stage, const corpus::Snapshot& snapshot,
                     std::uint32_t segment, const std::stop_token& stop) const;
  /// Ends a stage, and begins the next one.
  void end(const MaintenancePointer& maintenance, std::size_t number) const;
};

/// The caller provides `stale` and sets name, resource and fetched.
Prepared answer_of(const Leased& leased, std::string stale);

/// "this is how it was 3 hours ago", counted from when the snapshot was last known to be current.
std::string age_of(const Leased& leased, Clock::Wall now);

}  // namespace quarry::resources
