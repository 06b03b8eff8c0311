#pragma once

#include "engine/current_state.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"

namespace quarry::engine {

/// projects.secrets.*: secrets of the resources of projects.
class SecretMethods {
 public:
  /// All must outlive it; the services are the clock and those of ProjectSecrets.
  SecretMethods(const CurrentState& state, Gate& gate, HostServices& host_services)
      : state_(state), gate_(gate), host_services_(host_services) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer set(const Json& params);
  Answer list(const Json& params);
  Answer remove(const Json& params);

  const CurrentState& state_;
  Gate& gate_;
  HostServices& host_services_;
};

}  // namespace quarry::engine
