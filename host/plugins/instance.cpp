#include "plugins/instance.h"

#include "base/json.h"
#include "plugins/call_rights.h"
#include "plugins/compose.h"
#include "plugins/host_files.h"
#include "plugins/reply_slot.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

/// What the function `create` uses.
struct Creation {
  explicit Creation(std::string text) : configuration(std::move(text)) {}
  const std::string configuration;
  void* instance = nullptr;
  ReplySlot slot;
};

/// Longest wait for the other calls of a serial component, if its caller sets none.
constexpr std::chrono::milliseconds kLongestTurn{60'000};

services::Call with_deadline(services::Call call, std::chrono::milliseconds limit) {
  if (!call.deadline) call.deadline = std::chrono::steady_clock::now() + limit;
  return call;
}

}  // namespace

Result<std::shared_ptr<Instance>> Instance::create(std::shared_ptr<Module> module,
                                                   const quarry_component& component,
                                                   const quarry_host& host,
                                                   std::string_view configuration) {
  std::shared_ptr<Instance> made(new Instance(std::move(module), component), [](Instance* last) {
    const auto kept = last->module_;  // until retire() has returned
    kept->retire([last] { delete last; });
  });
  if (const auto json = parse_json(configuration)) {
    made->rights_ = rights_in(made->permissions(), *json);
    made->rights_.add(
        {.secrets = {}, .hosts = hosts_in_files(made->permissions(), *json, std::getenv)});
  }
  const auto lent = std::make_shared<Creation>(std::string(configuration));
  auto called = made->module_->call(
      {.function = function::kCreate,
       .rights = made->rights_,
       .run =
           [module = made->module_, lent, &component, &host](const quarry_call* call) {
             module->create(component, host, call, as_text(lent->configuration), &lent->instance,
                            lent->slot.reply());
           },
       .discard =
           [module = made->module_, lent, &component] {
             if (lent->slot.take()) module->destroy(component, lent->instance);
           }});
  if (!called) return std::move(called.error());
  auto outcome = lent->slot.take();
  if (!outcome) return made->blame(std::move(outcome.error()));
  made->instance_ = lent->instance;
  made->created_ = true;
  return made;
}

void Instance::permit_endpoint(std::string_view url) {
  rights_.add({.secrets = {}, .hosts = {host_in(url)}});
}

Instance::~Instance() {
  if (!created_) return;
  // If it does not return, the memory of the instance is lost; the next one may still be created.
  static_cast<void>(
      module_->call({.function = function::kDestroy,
                     .run = [module = module_, &component = component_, instance = instance_](
                                const quarry_call*) { module->destroy(component, instance); }}));
}

Status Instance::call(PluginCall call) {
  call.run = [self = shared_from_this(), run = std::move(call.run)](const quarry_call* lent) {
    run(lent);
  };
  if (!call.function.serial()) return module_->call(call);
  auto held = turn(with_deadline(call.call, std::max(call.function.limit, kLongestTurn)));
  if (!held) return std::move(held.error());
  call.run = [held = std::move(*held), run = std::move(call.run)](const quarry_call* lent) {
    run(lent);
  };
  return module_->call(call);
}

Result<Turn::Held> Instance::turn(const services::Call& call) {
  if ((component_.flags & QUARRY_SERIAL) == 0) return nullptr;
  auto held = turn_.take(call);
  if (held) return held;
  return std::move(held.error()).in(busy_plugin(module_->manifest().id));
}

Error Instance::blame(Error error) const {
  // Messages of a plugin to the user are unchanged; only its faults name it.
  if (error.code != Code::kInternal) return error;
  return name_in(std::move(error));
}

Error Instance::name_in(Error error) const {
  return std::move(error).in(compose("{} ({})", component_.name, plugin()));
}

}  // namespace quarry::plugins
