#pragma once

#include "plugins/call_share.h"
#include "plugins/call_threads.h"
#include "plugins/module.h"
#include "plugins/registry.h"
#include "services/call_table.h"

#include <quarry/abi.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::plugins {

/// One generation of a plugin as the registry uses it: its code, the host table that it is opened
/// with, the threads that run its calls if it is in this process, and the turn of its [control]
/// functions, which run one at a time. Thread-safe.
class HostedModule final : public Module, public std::enable_shared_from_this<HostedModule> {
 public:
  struct Parts {
    FindService find;
    std::string host_version;
    Retire retire = {};  ///< destroys the module after its last reference; empty = at once
    std::shared_ptr<AbandonedCalls> abandoned = {};  ///< may be null
    std::chrono::milliseconds grace = kReturnGrace;
    bool own = true;  ///< it came with the host
  };
  static std::shared_ptr<HostedModule> make(std::shared_ptr<Module> module, Parts parts);
  ~HostedModule() override;
  HostedModule(const HostedModule&) = delete;
  HostedModule& operator=(const HostedModule&) = delete;

  [[nodiscard]] const Manifest& manifest() const override { return module_->manifest(); }
  [[nodiscard]] const quarry_entry& entry() const override { return module_->entry(); }
  [[nodiscard]] bool in_process() const override { return module_->in_process(); }
  [[nodiscard]] DeferredModels* deferred_models() override { return module_->deferred_models(); }
  [[nodiscard]] Status ready() override { return module_->ready(); }
  [[nodiscard]] bool is_own() const override { return parts_.own; }
  Status open(const quarry_host& host) override;
  /// False if open() calls no function of the plugin, and so returns at once.
  [[nodiscard]] bool open_calls_plugin() const {
    return !module_->in_process() || module_->entry().open != nullptr;
  }
  void create(const quarry_component& component, const quarry_host& host, const quarry_call* call,
              quarry_text configuration, void** instance, const quarry_reply* reply) override;
  void destroy(const quarry_component& component, void* instance) override;
  Status call(const PluginCall& call) override;
  void close() override { module_->close(); }
  void retire(std::function<void()> destruction) override;

  [[nodiscard]] const quarry_host& host() const { return host_; }
  /// Adds the rights of an instance to those of the plugin's jobs and loops.
  void add_rights(const services::CallRights& rights);

 private:
  HostedModule(std::shared_ptr<Module> module, Parts parts);
  static void end(HostedModule* last);
  [[nodiscard]] services::CallRights rights() const;

  const Parts parts_;
  quarry_host host_;
  Turn control_;
  WorkerShare workers_;
  const std::shared_ptr<CallThreads> threads_;  ///< null if its code is in another process
  mutable std::mutex mutex_;                    ///< guards rights_
  services::CallRights rights_;
  std::shared_ptr<Module> module_;  ///< destroyed first
};

}  // namespace quarry::plugins
