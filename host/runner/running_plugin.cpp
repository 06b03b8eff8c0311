#include "runner/running_plugin.h"

namespace quarry::runner {

RunningPlugin::~RunningPlugin() {
  if (connection_->alive()) static_cast<void>(connection_->call({.function = Function::kClose}));
}

Result<Answer> RunningPlugin::create(const Request& request) {
  const std::lock_guard lock(mutex_);
  if (instances_.contains(request.instance)) return Answer::success();
  auto created = connection_->call(request);
  if (created && created->succeeded()) instances_.insert(request.instance);
  return created;
}

void RunningPlugin::destroy(std::uint32_t instance) {
  {
    const std::lock_guard lock(mutex_);
    if (instances_.erase(instance) == 0 || !connection_->alive()) return;
  }
  static_cast<void>(connection_->call({.function = Function::kDestroy, .instance = instance}));
}

}  // namespace quarry::runner
