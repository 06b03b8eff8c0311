#pragma once

#include "base/error.h"
#include "plugins/module.h"
#include "services/call.h"

#include <quarry/abi.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::plugins {

/// A component created from its configuration. Destroys it, then releases its module.
class Instance {
 public:
  /// Fails with kInternal or the component's own error. [control]
  static Result<std::shared_ptr<Instance>> create(std::shared_ptr<Module> module,
                                                  const quarry_component& component,
                                                  const quarry_host& host,
                                                  std::string_view configuration);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] void* get() const { return instance_; }
  [[nodiscard]] const void* table() const { return component_.table; }
  [[nodiscard]] std::string_view name() const { return component_.name; }
  /// Lock to hold around a [worker] function: excludes others if the component is QUARRY_SERIAL.
  [[nodiscard]] std::unique_lock<std::mutex> turn();
  /// Prefixes errors caused by the plugin with its name, "git (io.quarry.resource-git)".
  [[nodiscard]] Error blame(Error error) const;

 private:
  Instance(std::shared_ptr<Module> module, const quarry_component& component)
      : module_(std::move(module)), component_(component) {}

  std::shared_ptr<Module> module_;
  const quarry_component& component_;
  void* instance_ = nullptr;
  bool created_ = false;
  std::mutex mutex_;
};

/// The C form of a Call, for one call into a plugin.
class CallSlot {
 public:
  explicit CallSlot(const services::Call& call);
  CallSlot(const CallSlot&) = delete;
  CallSlot& operator=(const CallSlot&) = delete;
  [[nodiscard]] const quarry_call* get() const { return &table_; }

 private:
  const services::Call& call_;
  quarry_call table_;
};

}  // namespace quarry::plugins
