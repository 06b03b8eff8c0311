#pragma once

#include "base/error.h"

#include <quarry/transport.h>

#include <chrono>
#include <string>
#include <vector>

namespace quarry::plugins {

/// A transport, which carries requests to the engine (quarry/transport.h). One thread at a time.
class Transport {
 public:
  /// Stops without grace if still running.
  virtual ~Transport() = default;
  /// Returns the addresses it listens on. `engine` must be valid until stop has succeeded.
  virtual Result<std::vector<std::string>> start(const quarry_engine* engine) = 0;
  /// Blocks until its loops are joined, at most the grace, quarry::kStopTime and the time that a
  /// call has to return. No effect if it is not running. An error means that it may run for ever,
  /// and use the engine, because start or stop has not returned.
  virtual Status stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace quarry::plugins
