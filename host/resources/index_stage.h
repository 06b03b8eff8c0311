#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/snapshot/snapshot.h"
#include "resources/indexing_leases.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <stop_token>

namespace quarry::resources {

/// One kind of index, or kinds that are built together, for the snapshots that are maintained.
struct IndexStage {
  /// Builds what segment `segment` lacks. Success if it lacks nothing. [executor]
  using Build = std::function<Status(const corpus::Snapshot& snapshot, std::uint32_t segment,
                                     const std::stop_token& stop)>;
  IndexStage(Build the_build, Executor& the_executor, std::function<bool()> the_is_wanted)
      : build(std::move(the_build)), executor(the_executor), is_wanted(std::move(the_is_wanted)) {}

  const Build build;
  Executor& executor;                     ///< of one thread, that of the stage's turns
  const std::function<bool()> is_wanted;  ///< for snapshots that are opened now [any]
  IndexingLeases leases;
};

/// The stages in their order. A snapshot's next stage begins when the one before has ended, so that
/// the slow ones delay none of the others.
using IndexStages = std::deque<IndexStage>;

}  // namespace quarry::resources
