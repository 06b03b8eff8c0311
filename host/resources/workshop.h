#pragma once

#include "resources/charges.h"
#include "resources/eviction.h"
#include "resources/flights.h"
#include "resources/last_states.h"
#include "resources/library.h"
#include "resources/sources.h"
#include "resources/space.h"
#include "resources/store.h"

#include <string>

namespace quarry::resources {

/// What preparations share.
class Workshop {
 public:
  Workshop(const Options& the_options, const Surroundings& the_surroundings, Store& the_store,
           Eviction& the_eviction, Space& the_space, LastStates& the_last_states,
           Charges& the_charges, Flights& the_flights)
      : options(the_options),
        surroundings(the_surroundings),
        store(the_store),
        eviction(the_eviction),
        space(the_space),
        last_states(the_last_states),
        charges(the_charges),
        flights(the_flights) {}

  const Options& options;
  const Surroundings& surroundings;
  Store& store;
  Eviction& eviction;
  Space& space;
  LastStates& last_states;
  Charges& charges;
  Flights& flights;

  /// Notes that `leased` is what answers for an order.
  void answered(const Order& order, const Leased& leased) const {
    last_states.note(order.key, leased.stored->name, surroundings.clock.steady_now());
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
