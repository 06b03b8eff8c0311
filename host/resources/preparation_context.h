#pragma once

#include "resources/eviction.h"
#include "resources/indexing_leases.h"
#include "resources/last_states.h"
#include "resources/library.h"
#include "resources/preparation_runs.h"
#include "resources/sources.h"
#include "resources/space.h"
#include "resources/store.h"

#include <string>

namespace quarry::resources {

/// What preparations share.
class PreparationContext {
 public:
  PreparationContext(const Options& the_options, const LibraryDependencies& the_dependencies,
                     Store& the_store, Eviction& the_eviction, Space& the_space,
                     LastStates& the_last_states, IndexingLeases& the_indexing_leases,
                     PreparationRuns& the_runs)
      : options(the_options),
        dependencies(the_dependencies),
        store(the_store),
        eviction(the_eviction),
        space(the_space),
        last_states(the_last_states),
        indexing_leases(the_indexing_leases),
        runs(the_runs) {}

  const Options& options;
  const LibraryDependencies& dependencies;
  Store& store;
  Eviction& eviction;
  Space& space;
  LastStates& last_states;
  IndexingLeases& indexing_leases;
  PreparationRuns& runs;

  /// Notes that `leased` is what answers for an order.
  void answered(const Order& order, const Leased& leased) const {
    last_states.note(order.key, leased.stored->name, dependencies.clock.steady_now());
  }
  enum class Came { kNow, kBefore };
  /// Looks after a snapshot that was just opened, in the background: the answer waits neither for
  /// its indexes, nor for the removal of what it replaces, nor, when it came now, for eviction.
  void look_after(const Leased& leased, Came came) const;
  /// When the disk is full: evicts for something that takes about so many bytes. False when nothing
  /// was left to evict, so that another try is in vain.
  [[nodiscard]] bool make_room(std::uint64_t bytes) const;

 private:
  Status build_indexes(const corpus::Snapshot& snapshot, const std::stop_token& stop) const;
};

/// `stale` and what is left empty (name, resource, fetched) are the caller's.
Prepared answer_of(const Leased& leased, std::string stale);

/// "this is how it was 3 hours ago", by when the snapshot was last known to be current.
std::string age_of(const Leased& leased, Clock::Wall now);

}  // namespace quarry::resources
