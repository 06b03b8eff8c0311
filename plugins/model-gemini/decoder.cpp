#include "model-gemini/decoder.h"

#include "model-gemini/request.h"
#include "model_http/ending.h"
#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

namespace quarry::gemini {
namespace {

using model_http::count_member;
using model_http::member;
using model_http::Output;
using model_http::text_member;
using Json = nlohmann::json;

void report_error(const Json& error, Output& output) {
  const int status = model_http::http_status_in(error);
  output.error(status != 0 ? model_http::status_of(status, error) : QUARRY_UNAVAILABLE,
               model_http::message_in(error), status, model_http::retry_delay(error));
}

/// Google leaves out counts that are zero.
void report_usage(const Json& usage, Output& output) {
  const std::int64_t thoughts = count_member(usage, "thoughtsTokenCount", 0);
  quarry_usage told = model_http::kNoUsage;
  told.input_tokens = count_member(usage, "promptTokenCount", 0) +
                      count_member(usage, "toolUsePromptTokenCount", 0);
  told.output_tokens = count_member(usage, "candidatesTokenCount", 0) + thoughts;
  told.reasoning_tokens = thoughts;
  told.cache_read_tokens = count_member(usage, "cachedContentTokenCount", 0);
  output.usage(told);
}

/// `what`, with Google's own message if there is one.
std::string with_message(std::string what, std::string_view words) {
  return words.empty() ? what : what + ": " + std::string(words);
}

}  // namespace

void Decoder::message(std::string_view, std::string_view data, Output& output) {
  if (data == "[DONE]") return over(output);  // of routers
  const Json chunk = model_http::read_message(data, output);
  if (chunk.is_discarded()) return;
  if (const Json& error = member(chunk, "error"); model_http::is_failure(error)) {
    return report_error(error, output);
  }
  if (const Json& usage = member(chunk, "usageMetadata"); usage.is_object()) {
    report_usage(usage, output);
  }
  const Json& candidates = member(chunk, "candidates");
  if (!candidates.is_array() || candidates.empty()) {
    const Json& feedback = member(chunk, "promptFeedback");
    const auto reason = text_member(feedback, "blockReason");
    if (reason.empty()) return;
    return output.error(QUARRY_INVALID_ARGUMENT,
                        with_message("the prompt was blocked (" + std::string(reason) + ")",
                                     text_member(feedback, "blockReasonMessage")));
  }
  const Json& candidate = candidates.front();
  const Json& parts = member(member(candidate, "content"), "parts");
  if (!finish_reason_.empty() && !parts.empty()) repeats_reason_ = true;
  for (const Json& part : parts) take_part(part, output);
  if (const auto reason = text_member(candidate, "finishReason"); !reason.empty()) {
    finish_reason_ = reason;
    finish_message_ = text_member(candidate, "finishMessage");
  }
}

void Decoder::take_part(const Json& part, Output& output) {
  must_come_back_ = must_come_back_ || !text_member(part, "thoughtSignature").empty();
  if (member(part, "functionCall").is_object()) return take_call(part, output);
  if (member(part, "text").is_string()) take_text(part, output);
}

void Decoder::take_call(const Json& part, Output& output) {
  const Json& call = part["functionCall"];
  const Json& arguments = member(call, "args");
  const auto name = text_member(call, "name");
  must_come_back_ = true;
  if (name.empty() && calls_ > 0) {  // arguments that follow their name
    output.tool_call(calls_ - 1, {}, {}, arguments.dump());
    if (parts_.back().contains("functionCall")) parts_.back()["functionCall"]["args"] = arguments;
    return;
  }
  output.tool_call(calls_++, text_member(call, "id"), name,
                   arguments.is_null() ? "{}" : arguments.dump());
  parts_.push_back(part);
}

void Decoder::take_text(const Json& part, Output& output) {
  const auto text = text_member(part, "text");
  const Json& thought = member(part, "thought");
  const bool is_thought = thought.is_boolean() && thought.get<bool>();
  is_thought ? output.reasoning(text) : output.text(text);
  if (part.contains("thoughtSignature")) return parts_.push_back(part);
  if (is_thought || text.empty()) return;
  if (!parts_.empty() && parts_.back().size() == 1 && parts_.back().contains("text")) {
    parts_.back()["text"].get_ref<std::string&>() += text;
  } else {
    parts_.push_back({{"text", text}});
  }
}

void Decoder::quiet(Output& output) {
  if (!repeats_reason_) over(output);
}

void Decoder::over(Output& output) {
  if (finish_reason_.empty()) return;
  const auto ending = model_http::read_ending(finish_reason_);
  if (ending == model_http::Ending::kAborted) {
    return output.error(
        QUARRY_UNAVAILABLE,
        with_message("the model stopped (" + finish_reason_ + ")", finish_message_));
  }
  if (must_come_back_) output.keep(Json{{kKeptTag, parts_}}.dump());
  if (ending == model_http::Ending::kLength) return output.finish(QUARRY_FINISH_LENGTH);
  if (ending == model_http::Ending::kFiltered) return output.finish(QUARRY_FINISH_CONTENT_FILTER);
  output.finish(calls_ > 0 ? QUARRY_FINISH_TOOL_CALLS : QUARRY_FINISH_STOP);
}

}  // namespace quarry::gemini
