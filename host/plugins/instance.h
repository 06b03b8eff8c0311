#pragma once

#include "base/error.h"
#include "plugins/call_share.h"
#include "plugins/current_call.h"
#include "plugins/module.h"
#include "services/call_table.h"

#include <quarry/abi.h>

#include <memory>
#include <string>
#include <string_view>

namespace quarry::plugins {

using services::CallRights;
using services::CallTable;

/// A component created from its configuration. The last reference destroys it by Module::retire,
/// then releases its module.
class Instance : public std::enable_shared_from_this<Instance> {
 public:
  /// Fails with kInternal or the component's own error. [control]
  static Result<std::shared_ptr<Instance>> create(std::shared_ptr<Module> module,
                                                  const quarry_component& component,
                                                  const quarry_host& host,
                                                  std::string_view configuration);
  ~Instance();  ///< [control]
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] void* get() const { return instance_; }
  [[nodiscard]] const void* table() const { return component_.table; }
  [[nodiscard]] std::string_view name() const { return component_.name; }
  [[nodiscard]] const std::string& plugin() const { return module_->manifest().id; }
  /// As Module::ready(). [any]
  [[nodiscard]] Status ready() const { return module_->ready(); }
  [[nodiscard]] bool in_process() const { return module_->in_process(); }
  [[nodiscard]] DeferredModels* deferred_models() const { return module_->deferred_models(); }
  [[nodiscard]] bool is_own() const { return module_->is_own(); }
  /// Calls a function of the component by Module::call, one at a time if it is QUARRY_SERIAL. `run`
  /// must hold what it uses; this keeps the instance. [worker]
  Status call(PluginCall call);
  /// Waits for the turn of a component that is QUARRY_SERIAL; null for others.
  Result<Turn::Held> turn(const services::Call& call);
  /// For functions of an exchange that are called at once on the calling thread.
  [[nodiscard]] CurrentCall running(const PluginFunction& function) const {
    return {module_->manifest().id, function.name, !in_process()};
  }
  /// Rights of every call into it: those that its configuration gives.
  [[nodiscard]] const services::CallRights& rights() const { return rights_; }
  /// Permits the host of a URL that the component's description names. Before it is shared.
  void permit_endpoint(std::string_view url);
  [[nodiscard]] const Permissions& permissions() const { return module_->manifest().permissions; }
  /// Prefixes errors caused by the plugin with its name, "git (io.quarry.resource-git)".
  [[nodiscard]] Error blame(Error error) const;
  /// The same for an error that is the plugin's whatever its code.
  [[nodiscard]] Error name_in(Error error) const;

 private:
  Instance(std::shared_ptr<Module> module, const quarry_component& component)
      : module_(std::move(module)), component_(component) {}

  std::shared_ptr<Module> module_;
  const quarry_component& component_;
  void* instance_ = nullptr;
  services::CallRights rights_;
  bool created_ = false;
  Turn turn_;
};

}  // namespace quarry::plugins
