#include "runner/remote_pricing.h"

#include "runner/remote_instance.h"

#include <quarry/outcome.hpp>

namespace quarry::runner {
namespace {

void rates(void* instance, const quarry_call* call, quarry_text provider, quarry_text model,
           const quarry_reply* reply) {
  RemoteInstance::of(instance).call(
      {.function = Function::kRates,
       .call = call,
       .arguments =
           [=](PacketWriter& packet) { packet.text(as_view(provider)).text(as_view(model)); }},
      reply);
}

void refresh(void* instance, const quarry_call* call, const quarry_reply* reply) {
  RemoteInstance::of(instance).call({.function = Function::kRefresh, .call = call}, reply);
}

}  // namespace

const quarry_pricing_v1 kRemotePricing{
    .struct_size = sizeof(quarry_pricing_v1), .rates = rates, .refresh = refresh};

}  // namespace quarry::runner
