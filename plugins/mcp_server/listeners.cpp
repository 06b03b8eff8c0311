#include "listeners.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

bool wants(const Json* filter, std::string_view name) {
  const Json* const wanted = filter == nullptr ? nullptr : find(*filter, name);
  return wanted != nullptr && wanted->is_boolean() && wanted->get<bool>();
}

/// {"io.modelcontextprotocol/subscriptionId": the id of the listen request}
std::string meta_of(const Call& call) {
  return "{" + json_string(kMetaSubscription) + ":" + call.message().id + "}";
}

std::string_view notification_of(Change what) {
  switch (what) {
    case Change::kTools:
      return "notifications/tools/list_changed";
    case Change::kResources:
      return "notifications/resources/list_changed";
    case Change::kPrompts:
      break;
  }
  return "notifications/prompts/list_changed";
}

}  // namespace

void Listeners::add(const std::shared_ptr<Call>& call, const Offer& offer) {
  const Json* const filter = find(call->params(), "notifications");
  const Listener listener{call, offer.tools_change && wants(filter, "toolsListChanged"),
                          offer.resources_change && wants(filter, "resourcesListChanged"),
                          offer.prompts_change && wants(filter, "promptsListChanged")};
  Json honoured = Json::object();
  if (listener.tools) honoured["toolsListChanged"] = true;
  if (listener.resources) honoured["resourcesListChanged"] = true;
  if (listener.prompts) honoured["promptsListChanged"] = true;
  const Json* const uris = filter == nullptr ? nullptr : find(*filter, "resourceSubscriptions");
  if (offer.resources_updated && uris != nullptr) honoured["resourceSubscriptions"] = *uris;

  {
    // Later changes are sent after the acknowledgement, since this thread sends that first.
    const std::lock_guard lock(mutex_);
    listeners_.push_back(listener);
  }
  call->open();
  call->notify("notifications/subscriptions/acknowledged",
               R"({"notifications":)" + dump(honoured) + R"(,"_meta":)" + meta_of(*call) + "}");
  call->on_end([this, self = call.get()](End reason) {
    remove(self);
    if (reason == End::kTimeOut) {
      self->answer(Answer::of_type(R"({"resultType":"complete","_meta":)" + meta_of(*self) + "}"));
    }
  });
}

void Listeners::notify(Change what) {
  const std::lock_guard lock(mutex_);
  for (const Listener& listener : listeners_) {
    const bool wanted = what == Change::kTools       ? listener.tools
                        : what == Change::kResources ? listener.resources
                                                     : listener.prompts;
    const auto call = listener.call.lock();
    if (!wanted || !call) continue;
    call->post([call, what] {
      call->notify(notification_of(what), "{\"_meta\":" + meta_of(*call) + "}");
    });
  }
}

void Listeners::remove(const Call* call) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [&](const Listener& one) {
    const auto other = one.call.lock();
    return !other || other.get() == call;
  });
}

}  // namespace quarry::mcp
