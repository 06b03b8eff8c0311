#include "plugins/instance.h"

#include "base/json.h"
#include "plugins/compose.h"
#include "plugins/reply_slot.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

using Steady = std::chrono::steady_clock;

const services::Call& call_of(const quarry_call* self) {
  return *static_cast<const services::Call*>(self->context);
}

quarry_status state(const quarry_call* self) {
  return static_cast<quarry_status>(call_of(self).outcome());
}

std::int64_t remaining_ms(const quarry_call* self) {
  const services::Call& call = call_of(self);
  if (!call.deadline) return INT64_MAX;
  const auto left = *call.deadline - Steady::now();
  return std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
}

void progress(const quarry_call* self, quarry_text json) {
  constexpr std::size_t kMaxProgress = 4096;
  const services::Call& call = call_of(self);
  if (!call.progress || json.size > kMaxProgress) return;
  const auto value = parse_json(as_view(json));
  if (value && value->is_object()) call.progress(as_view(json));
}

}  // namespace

CallSlot::CallSlot(const services::Call& call)
    : call_(call),
      table_{.struct_size = sizeof(quarry_call),
             .context = const_cast<services::Call*>(&call_),
             .state = state,
             .remaining_ms = remaining_ms,
             .progress = progress} {}

Result<std::shared_ptr<Instance>> Instance::create(std::shared_ptr<Module> module,
                                                   const quarry_component& component,
                                                   const quarry_host& host,
                                                   std::string_view configuration) {
  std::shared_ptr<Instance> made(new Instance(std::move(module), component));
  ReplySlot slot;
  component.create(&host, as_text(configuration), &made->instance_, slot.reply());
  auto outcome = slot.take();
  if (!outcome) return made->blame(std::move(outcome.error()));
  made->created_ = true;
  return made;
}

Instance::~Instance() {
  if (created_) component_.destroy(instance_);
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
