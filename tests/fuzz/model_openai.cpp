// The decoders of both APIs, and their kept values, which can always be sent back. The lowest bit
// of the first byte chooses the API.

#include "fuzz/model_stream.h"
#include "model-openai/chat_body.h"
#include "model-openai/chat_decoder.h"
#include "model-openai/responses_body.h"
#include "model-openai/responses_decoder.h"
#include "model_http/json_text.h"

namespace {

using namespace quarry;

/// The conversation continued after `step`.
model_http::ChatRequest continued(const quarry::testing::Sink::Step& step) {
  model_http::Message said;
  said.role = model_http::Role::kAssistant;
  said.text = step.text;
  said.reasoning = step.reasoning;
  for (const auto& [index, call] : step.calls) {
    said.tool_calls.push_back({call.id, call.name, nlohmann::json::object()});
  }
  for (const auto& kept : step.kept) said.kept.push_back(nlohmann::json::parse(kept));
  model_http::ChatRequest chat;
  chat.model = "m";
  chat.messages.push_back(std::move(said));
  return chat;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr auto kEvents = model_http::Framing::kEvents;
  constexpr std::int64_t kMostTokens = 1000;
  const bool responses = data[0] % 2 != 0;
  const auto chat = continued(
      responses ? fuzz::check_stream<openai::ResponsesDecoder>(kEvents, data, size, kMostTokens)
                : fuzz::check_stream<openai::ChatDecoder>(kEvents, data, size));
  const std::string body = model_http::to_text(
      responses ? openai::responses_body(chat, {}) : openai::chat_body(chat, openai::kMistral, {}));
  return body.empty() ? 1 : 0;
}
