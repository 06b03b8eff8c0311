#include "model-ollama/decoder.h"

#include "model_http/ending.h"
#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

namespace quarry::ollama {
namespace {

using model_http::count_member;
using model_http::member;
using model_http::Output;
using model_http::text_member;
using Json = nlohmann::json;

quarry_usage usage_of(const Json& line) {
  quarry_usage usage = model_http::kNoUsage;
  usage.input_tokens = count_member(line, "prompt_eval_count");
  usage.output_tokens = count_member(line, "eval_count");
  return usage;
}

std::string arguments_of(const Json& function) {
  const Json& arguments = member(function, "arguments");
  if (arguments.is_null()) return "{}";
  return arguments.is_string() ? arguments.get<std::string>() : arguments.dump();
}

}  // namespace

void Decoder::message(std::string_view, std::string_view data, Output& output) {
  if (data == "[DONE]") return;  // of routers
  const Json line = model_http::read_message(data, output);
  if (line.is_discarded()) return;
  if (const Json& error = member(line, "error"); model_http::is_failure(error)) {
    return output.error(QUARRY_UNAVAILABLE, model_http::message_in(error));
  }
  const Json& message = member(line, "message");
  output.reasoning(text_member(message, "thinking"));
  output.text(text_member(message, "content"));
  take_calls(member(message, "tool_calls"), output);
  const Json& done = member(line, "done");
  if (!done.is_boolean() || !done.get<bool>()) return;
  output.usage(usage_of(line));
  const auto reason = text_member(line, "done_reason");
  switch (model_http::read_ending(reason)) {
    case model_http::Ending::kAborted:
      return output.error(QUARRY_UNAVAILABLE, "the model stopped (" + std::string(reason) + ")");
    case model_http::Ending::kLength:
      return output.finish(QUARRY_FINISH_LENGTH);
    case model_http::Ending::kFiltered:
      return output.finish(QUARRY_FINISH_CONTENT_FILTER);
    default:
      output.finish(calls_ > 0 ? QUARRY_FINISH_TOOL_CALLS : QUARRY_FINISH_STOP);
  }
}

void Decoder::take_calls(const Json& calls, Output& output) {
  for (const Json& call : calls) {
    if (!call.is_object()) continue;
    const Json& inner = member(call, "function");
    const Json& function = inner.is_object() ? inner : call;
    output.tool_call(calls_++, text_member(call, "id"), text_member(function, "name"),
                     arguments_of(function));
  }
}

}  // namespace quarry::ollama
