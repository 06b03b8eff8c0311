#include "runner/child_exchange.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <cstddef>

namespace quarry::runner {
namespace {

/// Sink passed to the plugin: sends the output to the host. Valid for one call.
class ChildSink {
 public:
  explicit ChildSink(ChildCall& call)
      : call_(call),
        table_{
            .struct_size = sizeof(quarry_model_sink),
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
                        const quarry_usage* usage) { return stream_usage(of(self).call_, usage); },
            .keep = [](const quarry_model_sink* self,
                       quarry_text json) { return of(self).give(Kind::kKeep, json); },
            .finish =
                [](const quarry_model_sink* self, quarry_finish reason) {
                  of(self).stream(Kind::kFinish, sizeof reason,
                                  [&](PacketWriter& packet) { packet.put(reason); });
                },
            .error = [](const quarry_model_sink* self,
                        const quarry_model_error* error) { stream_error(of(self).call_, error); }} {
  }
  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

 private:
  static ChildSink& of(const quarry_model_sink* self) {
    return *static_cast<ChildSink*>(self->context);
  }

  template <class Fill>
  quarry_status stream(Kind kind, std::size_t size, Fill fill) {
    return stream_frame(call_, kind, size, fill);
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
  ChildCall& call_;
  quarry_model_sink table_;
};

const quarry_model_v1& model_of(const ChildFunction& asked) {
  return *static_cast<const quarry_model_v1*>(asked.component.table);
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
      return (has & kHasGenerate) == 0 && call_exchange<quarry_model_v1, ChildSink>(asked);
  }
}

}  // namespace quarry::runner
