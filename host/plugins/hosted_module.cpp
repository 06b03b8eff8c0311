#include "plugins/hosted_module.h"

#include <chrono>
#include <cstdint>
#include <utility>

namespace quarry::plugins {
namespace {

void run(const Retire& retire, std::function<void()> destruction) {
  if (retire) return retire(std::move(destruction));
  destruction();
}

}  // namespace

std::shared_ptr<HostedModule> HostedModule::make(std::shared_ptr<Module> module, FindService find,
                                                 std::string host_version, Retire retire) {
  auto* const hosted =
      new HostedModule(std::move(module), std::move(find), std::move(host_version), retire);
  return {hosted, [retire = std::move(retire)](HostedModule* last) {
            run(retire, [last] { delete last; });
          }};
}

HostedModule::HostedModule(std::shared_ptr<Module> module, FindService find,
                           std::string host_version, Retire retire)
    : find_(std::move(find)),
      version_(std::move(host_version)),
      retire_(std::move(retire)),
      module_(std::move(module)) {
  host_ = {.struct_size = sizeof(quarry_host),
           .abi_major = QUARRY_ABI_MAJOR,
           .abi_minor = QUARRY_ABI_MINOR,
           .context = this,
           .version = {version_.data(), version_.size()},
           .service = [](const quarry_host* self, const char* id) -> const void* {
             const auto& find_service = static_cast<HostedModule*>(self->context)->find_;
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
  const std::lock_guard lock(control_);
  return module_->open(host);
}

void HostedModule::create(const quarry_component& component, const quarry_host& host,
                          const quarry_call* call, quarry_text configuration, void** instance,
                          const quarry_reply* reply) {
  const std::lock_guard lock(control_);
  module_->create(component, host, call, configuration, instance, reply);
}

void HostedModule::destroy(const quarry_component& component, void* instance) {
  const std::lock_guard lock(control_);
  module_->destroy(component, instance);
}

void HostedModule::retire(std::function<void()> destruction) {
  run(retire_, std::move(destruction));
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
