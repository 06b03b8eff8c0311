#pragma once

#include "plugins/module.h"
#include "plugins/registry.h"
#include "services/call_table.h"

#include <quarry/abi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::plugins {

/// One generation of a plugin as the registry uses it: its code, the host table that it is opened
/// with, and the lock that makes its [control] functions run one at a time. Thread-safe.
class HostedModule final : public Module {
 public:
  /// The last reference destroys the module by `retire`; empty = at once.
  static std::shared_ptr<HostedModule> make(std::shared_ptr<Module> module, FindService find,
                                            std::string host_version, Retire retire);
  ~HostedModule() override;
  HostedModule(const HostedModule&) = delete;
  HostedModule& operator=(const HostedModule&) = delete;

  [[nodiscard]] const Manifest& manifest() const override { return module_->manifest(); }
  [[nodiscard]] const quarry_entry& entry() const override { return module_->entry(); }
  [[nodiscard]] bool in_process() const override { return module_->in_process(); }
  Status open(const quarry_host& host) override;
  void create(const quarry_component& component, const quarry_host& host, const quarry_call* call,
              quarry_text configuration, void** instance, const quarry_reply* reply) override;
  void destroy(const quarry_component& component, void* instance) override;
  void retire(std::function<void()> destruction) override;

  [[nodiscard]] const quarry_host& host() const { return host_; }
  /// Adds the rights of an instance to those of the plugin's jobs and loops.
  void add_rights(const services::CallRights& rights);

 private:
  HostedModule(std::shared_ptr<Module> module, FindService find, std::string host_version,
               Retire retire);
  [[nodiscard]] services::CallRights rights() const;

  FindService find_;
  std::string version_;
  Retire retire_;
  quarry_host host_;
  std::mutex control_;
  mutable std::mutex mutex_;  ///< guards rights_
  services::CallRights rights_;
  std::shared_ptr<Module> module_;  ///< destroyed first
};

}  // namespace quarry::plugins
