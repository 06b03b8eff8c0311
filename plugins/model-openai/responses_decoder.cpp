#include "model-openai/responses_decoder.h"

#include "model-openai/stream_error.h"
#include "model-openai/usage.h"
#include "model_http/ending.h"
#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

#include <array>
#include <ranges>
#include <utility>

namespace quarry::openai {
namespace {

using model_http::count_member;
using model_http::member;
using model_http::Output;
using model_http::text_member;
using Json = nlohmann::json;

void take_response_usage(const Json& event, Output& output) {
  const auto counts = read_usage(member(member(event, "response"), "usage"));
  if (counts) output.usage(*counts);
}

/// A reasoning item in the form to send back: without its state, and without its id, which refers
/// to nothing stored. Null when it has no content.
Json reasoning_to_keep(const Json& item) {
  Json out = {{"type", "reasoning"}, {"summary", Json::array()}};
  if (member(item, "summary").is_array()) out["summary"] = item["summary"];
  if (!text_member(item, "encrypted_content").empty()) {
    out["encrypted_content"] = item["encrypted_content"];
    return out;
  }
  const Json& content = member(item, "content");
  if (!content.is_array() || content.empty()) return nullptr;
  out["content"] = content;
  if (!text_member(item, "id").empty()) out["id"] = item["id"];
  return out;
}

}  // namespace

ResponsesDecoder::Take ResponsesDecoder::take_of(std::string_view type) {
  using Self = ResponsesDecoder;
  static constexpr std::array<std::pair<std::string_view, Take>, 15> kTakes = {
      {{"response.output_text.delta", &Self::take_text},
       {"response.output_text.done", &Self::end_text},
       {"response.refusal.delta", &Self::take_refusal},
       {"response.reasoning_summary_text.delta", &Self::take_reasoning},
       {"response.reasoning_text.delta", &Self::take_reasoning},
       {"response.reasoning_summary_part.added", &Self::take_summary_part},
       {"response.function_call_arguments.delta", &Self::take_arguments},
       {"response.function_call_arguments.done", &Self::take_all_arguments},
       {"response.output_item.added", &Self::begin_item},
       {"response.output_item.done", &Self::end_item},
       {"response.completed", &Self::take_whole},
       {"response.done", &Self::take_whole},
       {"response.incomplete", &Self::incomplete},
       {"response.failed", &Self::fail},
       {"error", &Self::fail}}};
  for (const auto& [known, take] : kTakes) {
    if (known == type) return take;
  }
  return nullptr;
}

void ResponsesDecoder::message(std::string_view name, std::string_view data, Output& output) {
  if (data == "[DONE]") {  // sent by routers with several APIs, some without the response
    if (part_is_whole_) complete({}, output);
    return;
  }
  const Json event = model_http::read_message(data, output);
  if (event.is_discarded()) return;
  const auto type = text_member(event, "type");
  if (const Take take = take_of(type.empty() ? name : type); take != nullptr) {
    (this->*take)(event, output);
  } else if (text_member(event, "object") == "response") {
    take_whole({{"response", event}}, output);
  } else if (type.empty() && model_http::is_failure(member(event, "error"))) {
    fail(event, output);
  }
}

/// Reads the response at the end of a stream, or the reply of a server that does not stream.
void ResponsesDecoder::take_whole(const Event& event, Output& output) {
  const auto status = text_member(member(event, "response"), "status");
  if (status == "failed") return fail(event, output);
  status == "incomplete" ? incomplete(event, output) : complete(event, output);
}

/// Gives the output of a whole response, unless it came in events before.
void ResponsesDecoder::take_output(const Event& event, Output& output) {
  if (has_text_ || !calls_.empty()) return;
  std::int64_t index = 0;
  for (const Json& item : member(member(event, "response"), "output")) {
    end_item({{"item", item}, {"output_index", index++}}, output);
  }
}

/// Gives the text of a message that came without deltas.
void ResponsesDecoder::take_parts(const Event& item, Output& output) {
  for (const Json& part : member(item, "content")) {
    const auto refusal = text_member(part, "refusal");
    refused_ = refused_ || !refusal.empty();
    has_text_ = true;
    output.text(text_member(part, "text"));
    output.text(refusal);
  }
}

void ResponsesDecoder::take_text(const Json& event, Output& output) {
  has_text_ = item_has_text_ = true;
  part_is_whole_ = false;
  output.text(text_member(event, "delta"));
}

/// Ends a part, whose text may have come without deltas.
void ResponsesDecoder::end_text(const Json& event, Output& output) {
  if (!item_has_text_) output.text(text_member(event, "text"));
  has_text_ = item_has_text_ = part_is_whole_ = true;
}

void ResponsesDecoder::take_refusal(const Json& event, Output& output) {
  refused_ = true;
  take_text(event, output);
}

void ResponsesDecoder::take_reasoning(const Json& event, Output& output) {
  output.reasoning(text_member(event, "delta"));
}

void ResponsesDecoder::take_summary_part(const Json& event, Output& output) {
  if (count_member(event, "summary_index") > 0) output.reasoning("\n\n");
}

void ResponsesDecoder::take_arguments(const Json& event, Output& output) {
  Call* call = find_call(text_member(event, "item_id"), count_member(event, "output_index"));
  if (call != nullptr) give(*call, text_member(event, "delta"), output);
}

void ResponsesDecoder::take_all_arguments(const Json& event, Output& output) {
  Call* call = find_call(text_member(event, "item_id"), count_member(event, "output_index"));
  if (call != nullptr && !call->has_arguments) give(*call, text_member(event, "arguments"), output);
}

void ResponsesDecoder::begin_item(const Json& event, Output& output) {
  const Json& item = member(event, "item");
  const auto type = text_member(item, "type");
  if (type == "function_call") begin_call(item, count_member(event, "output_index"), output);
  if (type == "message" && has_text_) output.text("\n\n");
}

void ResponsesDecoder::end_item(const Json& event, Output& output) {
  const Json& item = member(event, "item");
  const auto type = text_member(item, "type");
  if (type == "reasoning") return keep(item, output);
  if (type == "message") {
    if (!std::exchange(item_has_text_, false)) take_parts(item, output);
    const Json& phase = member(item, "phase");
    if (phase.is_string()) output.keep(model_http::to_text({{"phase", phase}}));
    return;
  }
  if (type != "function_call") return;
  part_is_whole_ = true;
  const std::int64_t index = count_member(event, "output_index");
  Call* call = find_call(text_member(item, "id"), index);
  if (call == nullptr) call = begin_call(item, index, output);
  if (call != nullptr && !call->has_arguments) give(*call, text_member(item, "arguments"), output);
}

/// The call of an item: by its id, or by its index, since some routers give each event another id.
ResponsesDecoder::Call* ResponsesDecoder::find_call(std::string_view item_id,
                                                    std::int64_t output_index) {
  for (Call& call : calls_) {
    if (!item_id.empty() && call.item_id == item_id) return &call;
  }
  for (Call& call : calls_ | std::views::reverse) {
    if (output_index >= 0 && call.output_index == output_index) return &call;
  }
  const bool nameless = item_id.empty() && output_index < 0;
  return nameless && !calls_.empty() ? &calls_.back() : nullptr;
}

ResponsesDecoder::Call* ResponsesDecoder::begin_call(const Json& item, std::int64_t output_index,
                                                     Output& output) {
  if (calls_.size() >= kMostCalls) {
    output.error(QUARRY_RESOURCE_EXHAUSTED, "the model made too many tool calls");
    return nullptr;
  }
  calls_.push_back({std::string(text_member(item, "id")), output_index, false});
  output.tool_call(static_cast<std::uint32_t>(calls_.size() - 1), text_member(item, "call_id"),
                   text_member(item, "name"), {});
  return &calls_.back();
}

void ResponsesDecoder::give(Call& call, std::string_view arguments, Output& output) {
  if (arguments.empty()) return;
  call.has_arguments = true;
  output.tool_call(static_cast<std::uint32_t>(&call - calls_.data()), {}, {}, arguments);
}

void ResponsesDecoder::keep(const Json& item, Output& output) const {
  Json kept = reasoning_to_keep(item);
  if (kept.is_null()) return;
  output.keep(model_http::to_text(
      {{"item", std::move(kept)}, {"calls", calls_.size()}, {"afterText", has_text_}}));
}

void ResponsesDecoder::complete(const Json& event, Output& output) {
  take_output(event, output);
  take_response_usage(event, output);
  output.finish(finish_of(event));
}

quarry_finish ResponsesDecoder::finish_of(const Json& event) const {
  if (refused_) return QUARRY_FINISH_CONTENT_FILTER;
  if (!calls_.empty()) return QUARRY_FINISH_TOOL_CALLS;
  // llama.cpp reports an answer that was cut at its limit as complete.
  const Json& usage = member(member(event, "response"), "usage");
  const bool cut = most_tokens_ > 0 && count_member(usage, "output_tokens") >= most_tokens_;
  return cut ? QUARRY_FINISH_LENGTH : QUARRY_FINISH_STOP;
}

void ResponsesDecoder::incomplete(const Json& event, Output& output) {
  take_output(event, output);
  take_response_usage(event, output);
  const Json& details = member(member(event, "response"), "incomplete_details");
  const auto ending = model_http::read_ending(text_member(details, "reason"));
  output.finish(ending == model_http::Ending::kFiltered ? QUARRY_FINISH_CONTENT_FILTER
                                                        : QUARRY_FINISH_LENGTH);
}

/// Reports the error, which is in the response, beside the type, or the event itself.
void ResponsesDecoder::fail(const Json& event, Output& output) {
  take_response_usage(event, output);
  for (const Json* place : {&member(member(event, "response"), "error"), &member(event, "error")}) {
    if (model_http::is_failure(*place)) return report_error(*place, output);
  }
  report_error(event, output);
}

}  // namespace quarry::openai
