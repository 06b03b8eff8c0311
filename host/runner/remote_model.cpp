#include "runner/remote_model.h"

#include "plugins/exchange_values.h"
#include "runner/functions.h"
#include "runner/http_packet.h"
#include "runner/remote_exchange_table.h"
#include "runner/sink_functions.h"

#include <quarry/outcome.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace quarry::runner {
namespace {

void generate(void* instance, const quarry_call* call, quarry_text chat_request,
              const quarry_model_sink* sink) {
  SinkReceiver<ModelSink> receiver(*sink);
  const auto answer = RemoteInstance::of(instance).call(
      {.function = Function::kGenerate,
       .call = call,
       .arguments = [=](PacketWriter& packet) { packet.text(as_view(chat_request)); },
       .receiver = &receiver});
  if (!answer) receiver.fail(answer.error());
}

using Exchange = RemoteExchangeTable<ModelSink>;

class RemoteDeferredModels final : public plugins::DeferredModels {
 public:
  void head(quarry_exchange* exchange, int status, std::span<const services::HttpHeader> headers,
            const quarry_model_sink* sink, Done done) override {
    const plugins::LentHeaders lent(headers);
    defer(exchange, Function::kHead, sink, std::move(done), [&](PacketWriter& packet) {
      packet.put(std::int32_t{status});
      write_headers(packet, lent.count(), lent.data());
    });
  }
  void data(quarry_exchange* exchange, std::string_view bytes, const quarry_model_sink* sink,
            Done done) override {
    defer(exchange, Function::kData, sink, std::move(done),
          [&](PacketWriter& packet) { packet.text(bytes); });
  }
  void end(quarry_exchange* exchange, quarry_end reason, const quarry_model_sink* sink,
           Done done) override {
    defer(exchange, Function::kEnd, sink, std::move(done),
          [&](PacketWriter& packet) { packet.put(reason); });
  }

 private:
  static void defer(quarry_exchange* exchange, Function function, const quarry_model_sink* sink,
                    Done done, const std::function<void(PacketWriter&)>& arguments) {
    Exchange::of(exchange).defer(
        function, std::make_unique<SinkReceiver<ModelSink>>(*sink), arguments,
        [sink, done = std::move(done)](const ExchangeEnd& ended) {
          if (!ended.status) {
            SinkReceiver<ModelSink>(*sink).fail(ended.status.error(), ended.may_be_asked_again);
          }
          done();
        });
  }
};

}  // namespace

plugins::DeferredModels& deferred_models() {
  static RemoteDeferredModels functions;
  return functions;
}

quarry_model_v1 remote_model() {
  auto out = ModelFunctions::remote();
  Exchange::add_to(out);
  out.generate = generate;
  return out;
}

}  // namespace quarry::runner
