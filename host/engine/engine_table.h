#pragma once

#include "engine/engine.h"

#include <quarry/transport.h>

namespace quarry::engine {

/// An engine as transport plugins see it: the C table over the façade. Nothing throws across it.
class EngineTable {
 public:
  /// `engine` must outlive the table and every reader opened through it.
  explicit EngineTable(Engine& engine);
  EngineTable(const EngineTable&) = delete;
  EngineTable& operator=(const EngineTable&) = delete;

  [[nodiscard]] const quarry_engine* get() const { return &table_; }

 private:
  quarry_engine table_;
};

}  // namespace quarry::engine
