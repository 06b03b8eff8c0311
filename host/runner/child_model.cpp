#include "runner/answer.h"
#include "runner/child_functions.h"
#include "runner/http_packet.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <cstddef>
#include <string>

namespace quarry::runner {
namespace {

/// Sink passed to the plugin: sends the output to the host. Valid for one call.
class ChildSink {
 public:
  explicit ChildSink(ChildCall& call)
      : call_(call),
        table_{.struct_size = sizeof(quarry_model_sink),
               .context = this,
               .text = [](const quarry_model_sink* self,
                          quarry_text delta) { return of(self).give_text(Kind::kText, delta); },
               .reasoning =
                   [](const quarry_model_sink* self, quarry_text delta) {
                     return of(self).give_text(Kind::kReasoning, delta);
                   },
               .tool_call =
                   [](const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                      quarry_text name, quarry_text arguments) {
                     return of(self).give_tool_call(index, id, name, arguments);
                   },
               .usage = [](const quarry_model_sink* self,
                           const quarry_usage* usage) { return of(self).give_usage(usage); },
               .keep = [](const quarry_model_sink* self,
                          quarry_text json) { return of(self).give(Kind::kKeep, json); },
               .finish =
                   [](const quarry_model_sink* self, quarry_finish reason) {
                     of(self).stream(Kind::kFinish, sizeof reason,
                                     [&](PacketWriter& packet) { packet.put(reason); });
                   },
               .error = [](const quarry_model_sink* self,
                           const quarry_model_error* error) { of(self).give_error(error); }} {}
  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

 private:
  static ChildSink& of(const quarry_model_sink* self) {
    return *static_cast<ChildSink*>(self->context);
  }

  template <class Fill>
  quarry_status stream(Kind kind, std::size_t size, Fill fill) {
    if (size > kMaxPayload) return QUARRY_RESOURCE_EXHAUSTED;
    return call_.stream(kind, size, fill);
  }
  quarry_status give(Kind kind, quarry_text text) {
    return stream(kind, text.size + 4, [&](PacketWriter& packet) { packet.text(as_view(text)); });
  }
  quarry_status give_text(Kind kind, quarry_text text) {
    if (text.size > kMaxPayload - 4) return QUARRY_RESOURCE_EXHAUSTED;
    return call_.stream_text(kind, as_view(text));
  }
  quarry_status give_tool_call(std::uint32_t index, quarry_text id, quarry_text name,
                               quarry_text arguments) {
    const auto size = 16 + id.size + name.size + arguments.size;
    return stream(Kind::kToolCall, size, [&](PacketWriter& packet) {
      packet.put(index).text(as_view(id)).text(as_view(name)).text(as_view(arguments));
    });
  }
  quarry_status give_usage(const quarry_usage* usage) {
    const bool said = usage != nullptr && QUARRY_HAS(usage, cache_write_tokens);
    return stream(Kind::kUsage, said ? 41 : 1, [&](PacketWriter& packet) {
      packet.put(static_cast<std::uint8_t>(said));
      if (!said) return;
      packet.put(usage->input_tokens).put(usage->output_tokens).put(usage->reasoning_tokens);
      packet.put(usage->cache_read_tokens).put(usage->cache_write_tokens);
    });
  }
  void give_error(const quarry_model_error* error) {
    const bool said = error != nullptr && QUARRY_HAS(error, message);
    stream(Kind::kModelError, said ? 21 + error->message.size : 1, [&](PacketWriter& packet) {
      packet.put(static_cast<std::uint8_t>(said));
      if (!said) return;
      packet.put(error->status).put(error->http_status).put(error->retry_after_ms);
      packet.text(as_view(error->message));
    });
  }

  ChildCall& call_;
  quarry_model_sink table_;
};

const quarry_model_v1& model_of(const ChildFunction& asked) {
  return *static_cast<const quarry_model_v1*>(asked.component.table);
}

void reply_done(const ChildFunction& asked) {
  asked.reply->value(asked.reply, as_text("{}"));
}

/// A request with a missing header is none: the host cannot be told more.
bool is_whole(const quarry_http_request* request) {
  if (request == nullptr || !QUARRY_HAS(request, reserved)) return false;
  if (request->header_count > 0 && request->headers == nullptr) return false;
  for (std::uint32_t i = 0; i < request->header_count; ++i) {
    const auto* header = request->headers[i];
    if (header == nullptr || !QUARRY_HAS(header, secret)) return false;
  }
  return true;
}

void send_request(const ChildFunction& asked, quarry_exchange* exchange) {
  const auto* request = model_of(asked).request(exchange);
  std::string written;
  PacketWriter packet(written);
  packet.put(static_cast<std::uint8_t>(is_whole(request)));
  if (is_whole(request)) write_request(packet, *request);
  asked.call.stream(Kind::kHttpRequest, written.size(),
                    [&](PacketWriter& out) { out.raw(written); });
}

void call_begin(const ChildFunction& asked, std::uint32_t number) {
  quarry_exchange* exchange = nullptr;
  RecordedReply outcome;
  model_of(asked).begin(asked.instance, asked.call.get(), as_text(asked.arguments.text()),
                        &exchange, outcome.table());
  if (exchange == nullptr && outcome.succeeded()) {
    return reply_error(asked.reply, {Code::kInternal, "the provider began no exchange"});
  }
  if (exchange != nullptr && !outcome.succeeded()) model_of(asked).destroy_exchange(exchange);
  if (outcome.succeeded()) {
    asked.exchanges.add(number, exchange);
    send_request(asked, exchange);
  }
  outcome.replay(asked.reply);
}

void call_head(const ChildFunction& asked, quarry_exchange* exchange) {
  const auto status = asked.arguments.get<std::int32_t>();
  const HeaderList headers(asked.arguments);
  const ChildSink sink(asked.call);
  model_of(asked).head(exchange, status, headers.count(), headers.data(), sink.get());
}

bool call_exchange(const ChildFunction& asked) {
  const auto& table = model_of(asked);
  const auto number = asked.arguments.get<std::uint32_t>();
  if (asked.function == Function::kBegin) return call_begin(asked, number), true;
  auto* const exchange = asked.exchanges.find(number);
  if (exchange == nullptr) return asked.function == Function::kDestroyExchange;
  const ChildSink sink(asked.call);
  switch (asked.function) {
    case Function::kRequest:
      send_request(asked, exchange);
      break;
    case Function::kHead:
      call_head(asked, exchange);
      break;
    case Function::kData:
      table.data(exchange, as_text(asked.arguments.text()), sink.get());
      break;
    case Function::kEnd:
      table.end(exchange, asked.arguments.get<quarry_end>(), sink.get());
      break;
    case Function::kDestroyExchange:
      asked.exchanges.remove(number);
      table.destroy_exchange(exchange);
      break;
    default:
      return false;
  }
  reply_done(asked);
  return true;
}

void call_generate(const ChildFunction& asked) {
  const ChildSink sink(asked.call);
  model_of(asked).generate(asked.instance, asked.call.get(), as_text(asked.arguments.text()),
                           sink.get());
  reply_done(asked);
}

}  // namespace

bool call_model(const ChildFunction& asked) {
  const auto has = optional_functions(asked.component);
  switch (asked.function) {
    case Function::kDescribe:
      model_of(asked).describe(asked.instance, asked.call.get(), asked.reply);
      return true;
    case Function::kGenerate:
      if ((has & kHasGenerate) == 0) return false;
      return call_generate(asked), true;
    case Function::kModels:
      if ((has & kHasModels) == 0) return false;
      return model_of(asked).models(asked.instance, asked.call.get(), asked.reply), true;
    default:
      return (has & kHasGenerate) == 0 && call_exchange(asked);
  }
}

}  // namespace quarry::runner
