#pragma once

#include "resources/charges.h"
#include "resources/eviction.h"
#include "resources/flights.h"
#include "resources/library.h"
#include "resources/sources.h"
#include "resources/store.h"

#include <string>

namespace quarry::resources {

/// What preparations share.
class Workshop {
 public:
  Workshop(const Options& the_options, const Surroundings& the_surroundings, Store& the_store,
           Eviction& the_eviction, Charges& the_charges, Flights& the_flights)
      : options(the_options),
        surroundings(the_surroundings),
        store(the_store),
        eviction(the_eviction),
        charges(the_charges),
        flights(the_flights) {}

  const Options& options;
  const Surroundings& surroundings;
  Store& store;
  Eviction& eviction;
  Charges& charges;
  Flights& flights;

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
