#pragma once

#include "base/error.h"
#include "plugins/instance.h"
#include "plugins/reply_slot.h"

#include <quarry/outcome.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace quarry::plugins {

template <class>
using LentText = quarry_text;

/// The reply of a function of a component, which takes `texts`: strings, kept until it has
/// returned. `rights` are added to those of the instance. [worker]
template <class... Texts>
Result<std::string> reply_of(Instance& instance, const PluginFunction& function,
                             const services::Call& call, CallRights rights,
                             void (*invoke)(void*, const quarry_call*, LentText<Texts>...,
                                            const quarry_reply*),
                             Texts... texts) {
  struct Lent {
    explicit Lent(Texts... given) : texts(std::move(given)...) {}
    const std::tuple<Texts...> texts;
    ReplySlot slot;
  };
  const auto lent = std::make_shared<Lent>(std::move(texts)...);
  rights.add(instance.rights());
  auto called =
      instance.call({.function = function,
                     .call = call,
                     .rights = std::move(rights),
                     .run = [lent, invoke, component = instance.get()](const quarry_call* own) {
                       std::apply(
                           [&](const auto&... each) {
                             invoke(component, own, as_text(each)..., lent->slot.reply());
                           },
                           lent->texts);
                     }});
  if (!called) return std::move(called.error());
  return lent->slot.take();
}

}  // namespace quarry::plugins
