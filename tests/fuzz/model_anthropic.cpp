// The decoder of the Messages API, and its kept values, which can always be sent back.

#include "fuzz/model_stream.h"
#include "model-anthropic/decoder.h"
#include "model-anthropic/messages.h"

namespace {

using quarry::anthropic::Decoder;
using quarry::model_http::Json;
using quarry::model_http::Message;

Message said_in(const quarry::testing::Sink::Step& step) {
  Message out;
  out.role = quarry::model_http::Role::kAssistant;
  out.text = step.text;
  for (const auto& [index, call] : step.calls) {
    out.tool_calls.push_back({call.id, call.name, Json::object()});
  }
  for (const auto& kept : step.kept) out.kept.push_back(Json::parse(kept));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto step =
      quarry::fuzz::check_stream<Decoder>(quarry::model_http::Framing::kEvents, data, size);
  Json turns = quarry::anthropic::messages_of({said_in(step)});
  quarry::anthropic::mark_history(turns);
  const std::string text = turns.dump();
  if (!step.text.empty() && turns.empty() && !quarry::anthropic::is_blank(step.text)) std::abort();
  return text.empty() ? 1 : 0;
}
