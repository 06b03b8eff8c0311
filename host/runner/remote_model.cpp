#include "runner/remote_model.h"

#include "runner/http_packet.h"
#include "runner/remote_exchange.h"
#include "runner/remote_instance.h"
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

RemoteExchange& exchange_of(quarry_exchange* exchange) {
  return *reinterpret_cast<RemoteExchange*>(exchange);
}

void begin(void* instance, const quarry_call* call, quarry_text chat_request,
           quarry_exchange** exchange, const quarry_reply* reply) {
  auto begun = RemoteExchange::begin(RemoteInstance::of(instance), call, as_view(chat_request));
  if (!begun) return reply_error(reply, begun.error());
  *exchange = reinterpret_cast<quarry_exchange*>(begun->release());
  reply->value(reply, as_text("{}"));
}

void head(quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
          const quarry_header* const* headers, const quarry_model_sink* sink) {
  exchange_of(exchange).call(Function::kHead, sink, [&](PacketWriter& packet) {
    packet.put(status);
    write_headers(packet, count, headers);
  });
}

void data(quarry_exchange* exchange, quarry_text bytes, const quarry_model_sink* sink) {
  exchange_of(exchange).call(Function::kData, sink,
                             [&](PacketWriter& packet) { packet.text(as_view(bytes)); });
}

void end(quarry_exchange* exchange, quarry_end reason, const quarry_model_sink* sink) {
  exchange_of(exchange).call(Function::kEnd, sink,
                             [&](PacketWriter& packet) { packet.put(reason); });
}

}  // namespace

const quarry_model_v1 kRemoteModel{
    .struct_size = sizeof(quarry_model_v1),
    .describe = RemoteInstance::describe,
    .generate = generate,
    .begin = begin,
    .request = [](quarry_exchange* exchange) { return exchange_of(exchange).request(); },
    .head = head,
    .data = data,
    .end = end,
    .destroy_exchange = [](quarry_exchange* exchange) { delete &exchange_of(exchange); },
    .models = models};

}  // namespace quarry::runner
