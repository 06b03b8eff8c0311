#include "model-openai/chat_decoder.h"

#include "model-openai/stream_error.h"
#include "model-openai/usage.h"
#include "model_http/ending.h"
#include "model_http/failure_reply.h"
#include "model_http/json_cursor.h"
#include "model_http/json_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::openai {
namespace {

using model_http::count_member;
using model_http::member;
using model_http::Output;
using model_http::text_member;
using Json = nlohmann::json;

/// Members of a call with a signature, of Google and of LiteLLM.
constexpr std::array kExtras = {"extra_content", "provider_specific_fields"};

/// The text of a chunk that contains nothing else, as nearly all do, read without building its
/// JSON, which would be a large part of the cost per token. nullopt for any other chunk.
std::optional<std::string> plain_text(std::string_view chunk) {
  std::string text;
  std::size_t choices = 0;
  model_http::JsonCursor json(chunk);
  const auto nothing = [&] {
    if (!json.null()) json.fail();
  };
  const auto read_delta = [&](std::string_view key) {
    if (key == "role") return json.skip();
    if (key != "content") return nothing();
    if (!json.null()) text = json.string();
  };
  const auto read_choice = [&](std::string_view key) {
    if (key == "delta") return json.object(read_delta);
    const bool is_more =
        key == "finish_reason" || key == "text" || key == "message" || key == "usage";
    is_more ? nothing() : json.skip();
  };
  json.object([&](std::string_view key) {
    if (key == "choices") {
      json.array([&] { choices++ == 0 ? json.object(read_choice) : json.skip(); });
    } else if (key == "usage" || key == "x_groq" || key == "error") {
      nothing();
    } else if (key == "object") {
      if (json.string() == "error") json.fail();
    } else {
      json.skip();
    }
  });
  return json.finished() && choices > 0 ? std::optional(std::move(text)) : std::nullopt;
}

/// The text of a value that is one, has one, or is a list of such.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  if (value.is_array()) {
    for (const Json& part : value) out += text_of(part);
  }
  for (const char* name : {"text", "content", "value", "thinking", "summary"}) {
    if (const Json& inner = member(value, name); !inner.is_null()) return text_of(inner);
  }
  return out;
}

/// Reads the content: a text, a part of text or of reasoning, or a list of these.
void take_content(const Json& content, Output& output) {
  if (content.is_array()) {
    for (const Json& part : content) take_content(part, output);
    return;
  }
  const auto type = text_member(content, "type");
  const bool is_thought = type == "thinking" || type == "reasoning";
  is_thought ? output.reasoning(text_of(content)) : output.text(text_of(content));
}

/// Usage of a chunk, or where Groq and Moonshot put it.
void take_chat_usage(const Json& chunk, Output& output) {
  const Json& choices = member(chunk, "choices");
  for (const Json* const place :
       {&chunk, &member(chunk, "x_groq"),
        choices.is_array() && !choices.empty() ? &choices.front() : &chunk}) {
    const auto counts = read_usage(member(*place, "usage"));
    if (counts) return output.usage(*counts);
  }
}

/// The arguments as JSON text; some servers send the object itself, or name it otherwise.
std::string arguments_of(const Json& function) {
  const Json& named = member(function, "arguments");
  const Json& arguments = named.is_null() ? member(function, "parameters") : named;
  if (arguments.is_string()) return arguments.get<std::string>();
  return arguments.is_object() ? model_http::to_text(arguments) : std::string();
}

/// The function of a call, whose members some servers write into the call itself.
const Json& function_of(const Json& call) {
  const Json& function = member(call, "function");
  return function.is_object() ? function : call;
}

/// True for a block of thinking that is complete, or cannot be read.
bool is_sealed(const Json& block) {
  return !text_member(block, "signature").empty() || !text_member(block, "data").empty();
}

/// True if `piece` goes on with `last`, whose text is the member `key`: it has more of the text, or
/// seals it.
bool goes_on_with(const Json& last, const Json& piece, const char* key) {
  if (!last.contains(key) || member(piece, "index") != member(last, "index")) return false;
  if (piece.contains(key)) return std::string_view(key) != "thinking" || !is_sealed(last);
  return member(piece, "type") == member(last, "type") && !is_sealed(last);
}

/// Adds pieces to the `joined` ones. Those of one text, the member `key`, are joined, since they
/// must be sent back as if received at once.
void join_pieces(const Json& pieces, const char* key, Json& joined) {
  for (const Json& piece : pieces) {
    if (!piece.is_object()) continue;
    const bool goes_on = !joined.empty() && goes_on_with(joined.back(), piece, key);
    if (!goes_on) {
      joined.push_back(piece);
      continue;
    }
    Json& last = joined.back();
    Json text = std::exchange(last[key], nullptr);
    if (!text.is_string()) text = "";
    text.get_ref<std::string&>() += text_member(piece, key);
    for (const auto& [name, value] : piece.items()) {
      if (!value.is_null()) last[name] = value;
    }
    last[key] = std::move(text);
  }
}

}  // namespace

void ChatDecoder::failed(model_http::ReportedFailure& failure) {
  if (!learns_->note(failure)) return;
  failure.http_status = 0;  // the host repeats what failed without a response
  failure.retry_after_ms = 0;
}

void ChatDecoder::message(std::string_view name, std::string_view data, Output& output) {
  if (data == "[DONE]") return end(output);
  if (name.empty()) {
    if (const auto text = plain_text(data)) {
      has_delta_ = has_delta_ || !text->empty();
      has_usage_ = false;
      repeats_reason_ = repeats_reason_ || (finish_ && !text->empty());
      return output.text(*text);
    }
  }
  const Json chunk = model_http::read_message(data, output);
  if (chunk.is_discarded()) return;
  take_chat_usage(chunk, output);
  if (const Json& error = member(chunk, "error"); model_http::is_failure(error)) {
    return report_error(error, output);
  }
  if (name == "error" || text_member(chunk, "object") == "error")
    return report_error(chunk, output);
  const Json& choices = member(chunk, "choices");
  if (!choices.is_array() || choices.empty()) {
    // Usage is the last message; some servers send no "[DONE]" after it, or no reason before it.
    has_usage_ = member(chunk, "usage").is_object();
    if (finish_ && has_usage_) end(output);
    return;
  }
  take_choice(choices[0], output);
}

/// Reads a delta, or a message in its place: the only one of a server that does not stream.
void ChatDecoder::take_choice(const Json& choice, Output& output) {
  if (const Json& error = member(choice, "error"); model_http::is_failure(error)) {
    return report_error(error, output);  // of a router
  }
  has_usage_ = false;
  const Json& message = member(choice, "message");
  const Json& own = member(choice, "delta");
  const bool has_own = own.is_object() && !own.empty();
  by_messages_ = (by_messages_ || !has_delta_) && message.is_object() && !has_own;
  has_delta_ = true;
  const Json& delta = by_messages_ ? message : own;
  const bool goes_on = !text_member(delta, "content").empty() || delta.contains("tool_calls");
  repeats_reason_ = repeats_reason_ || (finish_ && goes_on);
  take_delta(delta, output);
  output.text(text_member(choice, "text"));  // of a server that knows completions only
  for (const char* name : {"native_finish_reason", "finish_reason"}) {
    const std::string reason(text_member(choice, name));
    if (!reason.empty()) take_finish(reason, output);
  }
  if (by_messages_ && finish_) end(output);
}

void ChatDecoder::take_delta(const Json& delta, Output& output) {
  take_reasoning(delta, output);
  take_content(member(delta, "content"), output);
  if (const auto refusal = text_member(delta, "refusal"); !refusal.empty()) {
    refused_ = true;
    output.text(refusal);
  }
  if (const Json& pieces = member(delta, "tool_calls"); pieces.is_array()) {
    for (const Json& piece : pieces) take_call(piece, output);
  } else if (pieces.is_object() && !pieces.empty()) {
    take_call(pieces, output);
  }
  if (const Json& call = member(delta, "function_call"); call.is_object()) {
    take_call({{"function", call}}, output);  // the form before there were several calls
  }
}

void ChatDecoder::take_reasoning(const Json& delta, Output& output) {
  const Json& details = member(delta, "reasoning_details");
  std::string thought;
  for (const char* name : {"reasoning_content", "reasoning", "reasoning_text", "thinking"}) {
    thought = text_of(member(delta, name));
    const bool names_it = member(delta, name).is_string();
    if (names_it && (!thought.empty() || reasoning_member_.empty())) reasoning_member_ = name;
    if (!thought.empty()) break;
  }
  const Json& blocks = member(delta, "thinking_blocks");
  // Blocks repeat what came in a member before.
  if (thought.empty() && reasoning_member_.empty()) thought = text_of(blocks);
  output.reasoning(thought.empty() ? text_of(details) : thought);
  if (details.is_array()) join_pieces(details, "text", details_);
  if (blocks.is_array()) join_pieces(blocks, "thinking", blocks_);
}

void ChatDecoder::take_call(const Json& piece, Output& output) {
  const Json& function = function_of(piece);
  const std::string arguments = arguments_of(function);
  const std::size_t place = place_of(piece, arguments);
  if (place == kMostCalls) {
    return output.error(QUARRY_RESOURCE_EXHAUSTED, "the model made too many tool calls");
  }
  if (place == calls_.size()) {
    const std::int64_t index = count_member(piece, "index");
    calls_.push_back({.index = index < 0 ? std::nullopt : std::optional(index)});
  }
  Call& call = calls_[place];
  const auto id = text_member(piece, "id");
  const bool first = call.id.empty() && !id.empty();
  if (first) call.id = id;
  // A name comes once, with each piece, or in pieces.
  const auto written = text_member(function, "name");
  const bool is_new = !written.empty() && written != call.name;
  if (is_new && written.starts_with(call.name)) call.name.clear();
  if (is_new) call.name += written;
  const std::string_view name = is_new ? std::string_view(call.name) : std::string_view();
  call.arguments.add(arguments);
  for (const char* const kept : kExtras) {
    if (const Json& extra = member(piece, kept); extra.is_object()) call.extras[kept] = extra;
  }
  output.tool_call(static_cast<std::uint32_t>(place), first ? id : "", name, arguments);
}

/// The place of the call that a piece belongs to: the latest of its index, of its id, or of all;
/// the next place for a new call. Servers give several calls one index, with or without ids, and
/// give the pieces of one call another index.
std::size_t ChatDecoder::place_of(const Json& piece, std::string_view arguments) const {
  const auto id = text_member(piece, "id");
  const std::int64_t index = count_member(piece, "index");
  const auto name = text_member(function_of(piece), "name");
  const bool named = !name.empty();
  for (std::size_t at = calls_.size(); at-- > 0;) {
    const Call& call = calls_[at];
    if (index >= 0 && call.index != index) continue;
    const bool same_id = id.empty() || call.id.empty() || call.id == id;
    const bool is_whole = call.arguments.is_whole();
    if (!same_id) {
      const bool begun = name == call.name && call.arguments.size() > 0;
      if (index >= 0 && (!named || (begun && !is_whole))) return at;
      continue;
    }
    const bool repeats = !id.empty() && call.id == id;
    // A piece with the same name and no arguments only repeats the name.
    const bool begins = named && (!arguments.empty() || name != call.name);
    const bool complete = begins && !call.name.empty() && !repeats && is_whole;
    return complete ? calls_.size() : at;
  }
  return !named && id.empty() && !calls_.empty() ? calls_.size() - 1 : calls_.size();
}

void ChatDecoder::take_finish(const std::string& reason, Output& output) {
  switch (model_http::read_ending(reason)) {
    case model_http::Ending::kAborted:
      return output.error(QUARRY_UNAVAILABLE, "the provider aborted the response: " + reason);
    case model_http::Ending::kLength:
      finish_ = QUARRY_FINISH_LENGTH;
      break;
    case model_http::Ending::kFiltered:
      finish_ = QUARRY_FINISH_CONTENT_FILTER;
      break;
    case model_http::Ending::kDone:
      if (!finish_) finish_ = QUARRY_FINISH_STOP;
  }
}

void ChatDecoder::quiet(Output& output) {
  if (finish_ && !repeats_reason_) end(output);
}

void ChatDecoder::over(Output& output) {
  if (finish_ || by_messages_ || (has_delta_ && has_usage_)) end(output);
}

void ChatDecoder::end(Output& output) {
  if (!calls_.empty()) keep(output);
  const quarry_finish reason = finish_.value_or(QUARRY_FINISH_STOP);
  if (reason != QUARRY_FINISH_STOP) return output.finish(reason);
  output.finish(!calls_.empty() ? QUARRY_FINISH_TOOL_CALLS
                : refused_      ? QUARRY_FINISH_CONTENT_FILTER
                                : QUARRY_FINISH_STOP);
}

/// Keeps reasoning and members of calls: a server accepts them back under the same names, and some
/// require it after a tool call.
void ChatDecoder::keep(Output& output) const {
  Json extras = Json::array();
  for (const Call& call : calls_) extras.push_back(call.extras);
  const auto has_some = [](const Call& call) { return !call.extras.empty(); };
  if (std::ranges::any_of(calls_, has_some)) output.keep(model_http::to_text({{"calls", extras}}));
  if (!details_.empty()) {
    output.keep(model_http::to_text({{"reasoning_details", details_}}));
  } else if (std::ranges::any_of(blocks_, is_sealed)) {
    output.keep(model_http::to_text({{"thinking_blocks", blocks_}}));
  } else if (!reasoning_member_.empty()) {
    output.keep(std::string(1, '"').append(reasoning_member_).append(1, '"'));
  }
}

}  // namespace quarry::openai
