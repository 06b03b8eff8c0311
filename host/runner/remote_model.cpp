#include "runner/remote_model.h"

#include "runner/remote_exchange_table.h"
#include "runner/sink_receiver.h"

#include <quarry/outcome.hpp>

namespace quarry::runner {
namespace {

void generate(void* instance, const quarry_call* call, quarry_text chat_request,
              const quarry_model_sink* sink) {
  SinkReceiver receiver(*sink);
  const auto answer = RemoteInstance::of(instance).call(
      {.function = Function::kGenerate,
       .call = call,
       .arguments = [=](PacketWriter& packet) { packet.text(as_view(chat_request)); },
       .receiver = &receiver});
  if (!answer) receiver.fail(answer.error());
}

void models(void* instance, const quarry_call* call, const quarry_reply* reply) {
  RemoteInstance::of(instance).call({.function = Function::kModels, .call = call}, reply);
}

using Exchange = RemoteExchangeTable<quarry_model_sink, SinkReceiver>;

}  // namespace

const quarry_model_v1 kRemoteModel{.struct_size = sizeof(quarry_model_v1),
                                   .describe = RemoteInstance::describe,
                                   .generate = generate,
                                   .begin = Exchange::begin,
                                   .request = Exchange::request,
                                   .head = Exchange::head,
                                   .data = Exchange::data,
                                   .end = Exchange::end,
                                   .destroy_exchange = Exchange::destroy_exchange,
                                   .models = models};

}  // namespace quarry::runner
