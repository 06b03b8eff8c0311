#pragma once

#include "engine/current_state.h"
#include "engine/methods/method_table.h"
#include "services/paths.h"

namespace quarry::engine {

/// config.show, config.reload and schemas.
class ConfigurationMethods {
 public:
  /// Both must outlive it.
  ConfigurationMethods(CurrentState& state, const services::Paths& paths)
      : state_(state), paths_(paths) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer show(std::string_view params);
  Answer reload(std::string_view params);
  Answer schemas(std::string_view params);

  CurrentState& state_;
  const services::Paths& paths_;
};

}  // namespace quarry::engine
