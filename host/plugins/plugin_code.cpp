#include "plugins/plugin_code.h"

#include <utility>

namespace quarry::plugins {

PluginCode::PluginCode(std::shared_ptr<HostedModule> loaded, std::string described_as)
    : manifest_(loaded->manifest()),
      described_as_(std::move(described_as)),
      in_process_(loaded->in_process()),
      module_(std::move(loaded)) {}

PluginCode::PluginCode(Manifest manifest, std::string described_as, Load load)
    : manifest_(std::move(manifest)),
      described_as_(std::move(described_as)),
      load_(std::move(load)) {}

bool PluginCode::is_loaded() const {
  const std::lock_guard lock(mutex_);
  return module_.has_value();
}

Result<std::shared_ptr<HostedModule>> PluginCode::module() {
  const std::lock_guard lock(mutex_);
  if (!module_) module_ = std::exchange(load_, nullptr)();
  return *module_;
}

}  // namespace quarry::plugins
