#pragma once

#include "base/error.h"

#include <quarry/transport.h>

#include <chrono>
#include <string>
#include <vector>

namespace quarry::plugins {

/// A way the outside talks to the engine (quarry/transport.h). One thread at a time.
class Transport {
 public:
  /// Stops without grace what is still running.
  virtual ~Transport() = default;
  /// The addresses it listens on. `engine` must stay valid until stop returned.
  virtual Result<std::vector<std::string>> start(const quarry_engine* engine) = 0;
  /// Blocks until its loops are joined. Nothing happens when it is not running.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace quarry::plugins
