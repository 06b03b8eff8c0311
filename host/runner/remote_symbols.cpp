#include "runner/remote_symbols.h"

#include "runner/remote_instance.h"

#include <quarry/outcome.hpp>

namespace quarry::runner {
namespace {

void definitions(void* instance, const quarry_call* call, quarry_bytes path, quarry_text text,
                 const quarry_reply* reply) {
  RemoteInstance::of(instance).call(
      {.function = Function::kDefinitions,
       .call = call,
       .arguments = [=](PacketWriter& packet) { packet.text(as_view(path)).text(as_view(text)); }},
      reply);
}

void references(void* instance, const quarry_call* call, quarry_bytes path, quarry_text text,
                quarry_text name, const quarry_reply* reply) {
  RemoteInstance::of(instance).call({.function = Function::kReferences,
                                     .call = call,
                                     .arguments =
                                         [=](PacketWriter& packet) {
                                           packet.text(as_view(path)).text(as_view(text));
                                           packet.text(as_view(name));
                                         }},
                                    reply);
}

}  // namespace

const quarry_symbols_v1 kRemoteSymbols{.struct_size = sizeof(quarry_symbols_v1),
                                       .describe = RemoteInstance::describe,
                                       .definitions = definitions,
                                       .references = references};

}  // namespace quarry::runner
