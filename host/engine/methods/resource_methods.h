#pragma once

#include "engine/current_state.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"
#include "resources/library.h"

namespace quarry::engine {

/// resources.list, .add, .remove and .recognise: of the configuration, or of a principal's project.
class ResourceMethods {
 public:
  /// All must outlive it.
  ResourceMethods(CurrentState& state, Gate& gate, resources::Library& library)
      : state_(state), gate_(gate), library_(library) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  std::optional<Answer> list_at_once(const Json& params);
  Answer list(const Json& params);
  Answer add(const Json& params);
  Answer remove(const Json& params);
  Answer recognise(const Json& params);

  /// Adds a resource to the project of the principal.
  Answer add_to_project(const PrincipalRequest& asked, Json resource);

  CurrentState& state_;
  Gate& gate_;
  resources::Library& library_;
};

}  // namespace quarry::engine
