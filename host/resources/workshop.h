#pragma once

#include "resources/eviction.h"
#include "resources/flights.h"
#include "resources/library.h"
#include "resources/sources.h"
#include "resources/store.h"

#include <string>

namespace quarry::resources {

/// What preparations share.
struct Workshop {
  const Options& options;
  const Surroundings& surroundings;
  Store& store;
  Eviction& eviction;
  Flights& flights;

  /// Keeps `leased` open as the snapshot of `source`, and looks after a new one in the background:
  /// the answer waits neither for its indexes nor for the removal of what it replaces.
  void adopt(Source& source, const Leased& leased) const;
};

/// `stale` and what is left empty (name, resource, fetched) are the caller's.
Prepared answer_of(const Leased& leased, std::string stale);

/// "this is how it was 3 hours ago", by when the snapshot was last known to be current.
std::string age_of(const Leased& leased, Clock::Wall now);

}  // namespace quarry::resources
