#include "model-example/decoder.h"

#include "model_http/json_text.h"

namespace quarry::example {

using model_http::member;
using model_http::text_member;
using Json = nlohmann::json;

void Decoder::message(std::string_view, std::string_view data, model_http::Output& output) {
  const Json line = model_http::read_message(data, output);
  if (line.is_discarded()) return;
  output.text(text_member(line, "text"));
  if (const Json& call = member(line, "call"); call.is_object()) {
    output.tool_call(calls_++, {}, text_member(call, "name"),
                     model_http::to_text(member(call, "arguments")));
  }
  const Json& tokens = member(line, "tokens");
  if (!tokens.is_object()) return;
  quarry_usage usage = model_http::kNoUsage;
  usage.input_tokens = model_http::count_member(tokens, "input");
  usage.output_tokens = model_http::count_member(tokens, "output");
  output.usage(usage);
  output.finish(calls_ > 0 ? QUARRY_FINISH_TOOL_CALLS : QUARRY_FINISH_STOP);
}

}  // namespace quarry::example
