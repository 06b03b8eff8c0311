#pragma once

#include "base/clock.h"
#include "engine/gate.h"
#include "engine/methods/method_table.h"

#include <string>

namespace quarry::engine {

/// projects.create, .list and .remove.
class ProjectMethods {
 public:
  /// Both must outlive it.
  ProjectMethods(Gate& gate, const Clock& clock) : gate_(gate), clock_(clock) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer create(const Json& params);
  Answer list(const Json& params);
  Answer remove(const Json& params);

  Gate& gate_;
  const Clock& clock_;
};

/// ProjectError for the unknown project `name`, with the nearest known name. [worker]
Error no_project(plugins::Store& kept, const std::string& name);

}  // namespace quarry::engine
