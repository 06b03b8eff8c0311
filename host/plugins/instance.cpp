#include "plugins/instance.h"

#include "base/json.h"
#include "plugins/call_rights.h"
#include "plugins/compose.h"
#include "plugins/limited_call.h"
#include "plugins/reply_slot.h"

#include <nlohmann/json.hpp>

namespace quarry::plugins {

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
  }
  ReplySlot slot;
  const LimitedCall lent(kControlLimit, made->rights_);
  made->module_->create(component, host, lent.get(), as_text(configuration), &made->instance_,
                        slot.reply());
  auto outcome = slot.take();
  if (!outcome) return made->blame(std::move(outcome.error()));
  made->created_ = true;
  return made;
}

Instance::~Instance() {
  if (created_) module_->destroy(component_, instance_);
}

std::unique_lock<std::mutex> Instance::turn() {
  if ((component_.flags & QUARRY_SERIAL) == 0) return {};
  return std::unique_lock(mutex_);
}

Error Instance::blame(Error error) const {
  // Messages of a plugin to the user are unchanged; only its faults name it.
  if (error.code != Code::kInternal) return error;
  return std::move(error).in(compose("{} ({})", component_.name, module_->manifest().id));
}

}  // namespace quarry::plugins
