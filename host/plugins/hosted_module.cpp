#include "plugins/hosted_module.h"

#include "plugins/compose.h"
#include "plugins/plugin_rules.h"
#include "services/workers.h"

#include <quarry/outcome.hpp>

#include <cstdint>
#include <utility>

namespace quarry::plugins {
namespace {

void run(const Retire& retire, std::function<void()> destruction) {
  if (retire) return retire(std::move(destruction));
  destruction();
}

std::shared_ptr<CallThreads> threads_for(const Module& module, const HostedModule::Parts& parts) {
  if (!module.in_process()) return nullptr;
  return std::make_shared<CallThreads>(
      CallThreads::Options{.plugin = module.manifest().id,
                           .starts_with_host = starts_with_host(module.manifest()),
                           .abandoned = parts.abandoned,
                           .grace = parts.grace});
}

}  // namespace

std::shared_ptr<HostedModule> HostedModule::make(std::shared_ptr<Module> module, Parts parts) {
  const Retire retire = parts.retire;
  auto* const hosted = new HostedModule(std::move(module), std::move(parts));
  return {hosted, [retire](HostedModule* last) { run(retire, [last] { end(last); }); }};
}

/// Closes the plugin, and destroys it unless it does not return.
void HostedModule::end(HostedModule* last) {
  if (last->threads_ != nullptr) {
    const auto closed = last->threads_->run(
        {.function = function::kClose, .run = [last](const quarry_call*) { last->close(); }});
    last->threads_->stop();
    if (!closed) return;  // its code and its host table are still used
  }
  delete last;
}

HostedModule::HostedModule(std::shared_ptr<Module> module, Parts parts)
    : parts_(std::move(parts)), threads_(threads_for(*module, parts_)), module_(std::move(module)) {
  host_ = {.struct_size = sizeof(quarry_host),
           .abi_major = QUARRY_ABI_MAJOR,
           .abi_minor = QUARRY_ABI_MINOR,
           .context = this,
           .version = as_text(parts_.host_version),
           .service = [](const quarry_host* self, const char* id) -> const void* {
             const auto& find_service = static_cast<HostedModule*>(self->context)->parts_.find;
             return find_service && id != nullptr ? find_service(id) : nullptr;
           },
           .open_call =
               [](const quarry_host* self, const quarry_call* parent, std::int64_t timeout_ms,
                  quarry_status (*state)(void*), void* state_context) noexcept {
                 const auto& hosted = *static_cast<HostedModule*>(self->context);
                 return services::open_call({.parent = parent,
                                             .limit = std::chrono::milliseconds(timeout_ms),
                                             .state = state,
                                             .context = state_context,
                                             .rights = hosted.rights()});
               },
           .close_call = [](const quarry_host*,
                            const quarry_call* call) noexcept { services::close_call(call); }};
}

HostedModule::~HostedModule() = default;

Status HostedModule::open(const quarry_host& host) {
  if (!open_calls_plugin()) return module_->open(host);
  const auto outcome = std::make_shared<Status>();
  auto self = shared_from_this();
  auto called = call({.function = function::kOpen,
                      .run = [self = std::move(self), outcome, &host](const quarry_call*) {
                        *outcome = self->module_->open(host);
                      }});
  return called ? std::move(*outcome) : called;
}

void HostedModule::create(const quarry_component& component, const quarry_host& host,
                          const quarry_call* call, quarry_text configuration, void** instance,
                          const quarry_reply* reply) {
  module_->create(component, host, call, configuration, instance, reply);
}

void HostedModule::destroy(const quarry_component& component, void* instance) {
  module_->destroy(component, instance);
}

Status HostedModule::call(const PluginCall& call) {
  auto share = workers_.take();
  if (!share) {
    return std::move(share.error()).in(compose("plugin {} is not called", manifest().id));
  }
  if (threads_ != nullptr) {
    if (auto may = threads_->check_may_run(call.function); !may) return may;
  }
  Turn::Held turn;
  if (call.function.control()) {
    auto taken =
        control_.take({.deadline = std::chrono::steady_clock::now() + call.function.limit});
    if (!taken) return std::move(taken.error()).in(busy_plugin(manifest().id));
    turn = std::move(*taken);
  }
  if (threads_ == nullptr) {
    const services::BlockedWorker waits;
    return module_->call(call);
  }
  if (turn == nullptr) return threads_->run(call);
  PluginCall held = call;
  held.run = [turn = std::move(turn), run = call.run](const quarry_call* lent) { run(lent); };
  return threads_->run(held);
}

void HostedModule::retire(std::function<void()> destruction) {
  run(parts_.retire, std::move(destruction));
}

void HostedModule::add_rights(const services::CallRights& rights) {
  const std::lock_guard lock(mutex_);
  rights_.add(rights);
}

services::CallRights HostedModule::rights() const {
  const std::lock_guard lock(mutex_);
  return rights_;
}

}  // namespace quarry::plugins
