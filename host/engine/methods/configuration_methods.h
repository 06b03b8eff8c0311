#pragma once

#include "engine/current_state.h"
#include "engine/methods/method_table.h"
#include "services/paths.h"

namespace quarry::engine {

/// config.show, config.reload, plugins.reload, schemas and methods.
class ConfigurationMethods {
 public:
  /// All must outlive it; `table` is the one that `methods` describes.
  ConfigurationMethods(CurrentState& state, const services::Paths& paths, const MethodTable& table)
      : state_(state), paths_(paths), table_(table) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer show(const Json& params);
  Answer reload(const Json& params);
  Answer reload_plugins(const Json& params);
  Answer schemas(const Json& params);
  Answer methods(const Json& params);

  CurrentState& state_;
  const services::Paths& paths_;
  const MethodTable& table_;
};

}  // namespace quarry::engine
