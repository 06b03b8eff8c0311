#pragma once

#include "engine/engine.h"

#include <quarry/transport.h>

namespace quarry::engine {

/// The C interface of an engine for transport plugins. No exception crosses it.
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
