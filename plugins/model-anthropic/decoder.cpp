#include "model-anthropic/decoder.h"

#include "model-anthropic/kept.h"
#include "model_http/ending.h"
#include "model_http/failure_reply.h"
#include "model_http/json_cursor.h"
#include "model_http/json_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace quarry::anthropic {
namespace {

using Json = nlohmann::json;
using model_http::count_member;
using model_http::member;
using model_http::Output;
using model_http::text_member;

/// The HTTP status that the error would have had before the stream: by its type, or by its code,
/// which routers add.
int http_status_of(const Json& error) {
  constexpr std::array<std::pair<std::string_view, int>, 9> kStatuses = {
      {{"invalid_request_error", 400},
       {"authentication_error", 401},
       {"billing_error", 402},
       {"permission_error", 403},
       {"not_found_error", 404},
       {"request_too_large", 413},
       {"rate_limit_error", 429},
       {"timeout_error", 504},
       {"overloaded_error", 529}}};
  const auto* found = std::ranges::find(kStatuses, text_member(error, "type"),
                                        &std::pair<std::string_view, int>::first);
  if (found != kStatuses.end()) return found->second;
  const int coded = model_http::http_status_in(error);
  return coded != 0 ? coded : 500;
}

quarry_finish finish_of(std::string_view stop_reason, bool has_calls) {
  switch (model_http::read_ending(stop_reason)) {
    case model_http::Ending::kFiltered:
      return QUARRY_FINISH_CONTENT_FILTER;
    case model_http::Ending::kLength:
      return QUARRY_FINISH_LENGTH;
    default:
      return stop_reason == "tool_use" || (stop_reason.empty() && has_calls)
                 ? QUARRY_FINISH_TOOL_CALLS
                 : QUARRY_FINISH_STOP;
  }
}

/// The text of a content_block_delta with text, as nearly all events are, read without building its
/// JSON; nullopt for any other event.
std::optional<std::string> text_delta(std::string_view event) {
  std::string text;
  bool is_text = false;
  model_http::JsonCursor json(event);
  const auto read_delta = [&](std::string_view key) {
    if (key == "type") {
      is_text = json.string() == "text_delta";
    } else if (key == "text") {
      text = json.string();
    } else {
      json.skip();
    }
  };
  json.object(
      [&](std::string_view key) { key == "delta" ? json.object(read_delta) : json.skip(); });
  return json.finished() && is_text ? std::optional(std::move(text)) : std::nullopt;
}

void append(Json& block, const char* key, std::string_view more) {
  Json& value = block[key];
  if (!value.is_string()) value = "";
  value.get_ref<std::string&>() += more;
}

/// Replaces `known` by the count in `usage`: counts cover the whole message so far, and those of
/// its end correct those of its beginning. One of 0 says nothing about a known one.
void renew(std::int64_t& known, const Json& usage, std::string_view key) {
  const std::int64_t count = count_member(usage, key);
  if (count > 0 || known < 0) known = count;
}

}  // namespace

void Decoder::message(std::string_view name, std::string_view data, Output& output) {
  if (data == "[DONE]") return over(output);  // of routers
  // A generic name, and the type of a whole reply.
  const auto* known = name == "message" ? nullptr : find_event(name);
  if (name == "content_block_delta" || known == nullptr) {
    if (const auto text = text_delta(data)) return say(*text, output);
  }
  if (known == nullptr && !name.empty() && data.find("\"type\"") == data.npos) return;
  const Json event = model_http::read_message(data, output);
  if (event.is_discarded()) return;
  // Some servers send no names, or the same for all.
  if (known == nullptr) known = find_event(text_member(event, "type"));
  if (known != nullptr) return (this->*known->take)(event, output);
  if (model_http::is_failure(member(event, "error"))) fail(event, output);  // of a router
}

const Decoder::Event* Decoder::find_event(std::string_view name) {
  static constexpr std::array<Event, 8> kEvents = {{{"message_start", &Decoder::start},
                                                    {"content_block_start", &Decoder::begin_block},
                                                    {"content_block_delta", &Decoder::add_to_block},
                                                    {"content_block_stop", &Decoder::end_block},
                                                    {"message_delta", &Decoder::change},
                                                    {"message_stop", &Decoder::stop},
                                                    {"message", &Decoder::take_whole},
                                                    {"error", &Decoder::fail}}};
  const auto* const known = std::ranges::find(kEvents, name, &Event::name);
  return known == kEvents.end() ? nullptr : known;
}

/// Reads the reply of a server that does not stream: blocks that are complete as they begin.
void Decoder::take_whole(const Json& message, Output& output) {
  if (!member(message, "content").is_array()) return;
  count(member(message, "usage"), output);
  for (const Json& block : member(message, "content")) {
    const Json event = {{"index", 0}, {"content_block", block}};
    begin_block(event, output);
    end_block(event, output);
  }
  stop_reason_ = text_member(message, "stop_reason");
  stop({}, output);
}

void Decoder::over(Output& output) {
  if (!stop_reason_.empty()) stop({}, output);
}

void Decoder::start(const Json& event, Output& output) {
  count(member(member(event, "message"), "usage"), output);
}

void Decoder::begin_block(const Json& event, Output& output) {
  Block block{.content = member(event, "content_block")};
  const std::string_view type = text_member(block.content, "type");
  if (type == "text") return say(text_member(block.content, "text"), output);
  if (type == "tool_use") {
    begin_call(block, output);
  } else if (type == "thinking") {
    output.reasoning(text_member(block.content, "thinking"));
  } else if (type != "redacted_thinking") {
    return;  // of a tool that runs at the provider, or an unknown kind
  }
  open_.insert_or_assign(count_member(event, "index"), std::move(block));
}

void Decoder::begin_call(Block& block, Output& output) {
  block.call = calls_++;
  output.tool_call(block.call, text_member(block.content, "id"), text_member(block.content, "name"),
                   {});
}

void Decoder::add_to_block(const Json& event, Output& output) {
  const Json& delta = member(event, "delta");
  const std::string_view type = text_member(delta, "type");
  if (type == "text_delta") {
    say(text_member(delta, "text"), output);
  } else if (type == "thinking_delta") {
    output.reasoning(text_member(delta, "thinking"));
    Block* block = open_block(event, "thinking");
    if (block != nullptr) append(block->content, "thinking", text_member(delta, "thinking"));
  } else if (type == "signature_delta") {
    Block* block = open_block(event, "thinking");
    if (block != nullptr) append(block->content, "signature", text_member(delta, "signature"));
  } else if (type == "input_json_delta") {
    const Json& given = member(delta, "partial_json");
    const std::string piece =
        given.is_object() ? given.dump() : std::string(text_member(delta, "partial_json"));
    Block* block = open_block(event, "tool_use");
    if (block == nullptr || piece.empty()) return;
    block->has_arguments = true;
    output.tool_call(block->call, {}, {}, piece);
  }
}

void Decoder::end_block(const Json& event, Output& output) {
  const auto found = open_.find(count_member(event, "index"));
  if (found == open_.end()) return;
  const Block block = std::move(found->second);
  open_.erase(found);
  if (text_member(block.content, "type") != "tool_use") {
    return output.keep(Kept{block.content, text_bytes_, calls_}.json().dump());
  }
  const Json& input = member(block.content, "input");
  // The input of a call without arguments comes complete, as {}, without pieces.
  if (!block.has_arguments) {
    output.tool_call(block.call, {}, {}, input.is_object() ? input.dump() : "{}");
  }
}

void Decoder::change(const Json& event, Output& output) {
  const auto reason = text_member(member(event, "delta"), "stop_reason");
  if (!reason.empty()) stop_reason_ = reason;
  count(member(event, "usage"), output);
}

void Decoder::stop(const Json&, Output& output) {
  while (!open_.empty()) end_block({{"index", open_.begin()->first}}, output);
  if (model_http::read_ending(stop_reason_) == model_http::Ending::kAborted) {
    return output.error(QUARRY_UNAVAILABLE, "the model stopped (" + stop_reason_ + ")");
  }
  output.finish(finish_of(stop_reason_, calls_ > 0));
}

void Decoder::fail(const Json& event, Output& output) {
  const int status = http_status_of(member(event, "error"));
  output.error(model_http::status_of(status), model_http::message_in(event), status);
}

Decoder::Block* Decoder::open_block(const Json& event, std::string_view type) {
  const auto is_one = [&](const auto& entry) {
    return text_member(entry.second.content, "type") == type;
  };
  const auto found = open_.find(count_member(event, "index"));
  if (found != open_.end() && is_one(*found)) return &found->second;
  // Some servers number deltas otherwise than blocks.
  const auto first = std::ranges::find_if(open_, is_one);
  return std::ranges::count_if(open_, is_one) == 1 ? &first->second : nullptr;
}

void Decoder::say(std::string_view text, Output& output) {
  text_bytes_ += text.size();
  output.text(text);
}

void Decoder::count(const Json& usage, Output& output) {
  if (!usage.is_object()) return;
  renew(input_, usage, "input_tokens");
  renew(cache_read_, usage, "cache_read_input_tokens");
  renew(cache_write_, usage, "cache_creation_input_tokens");
  renew(output_, usage, "output_tokens");
  renew(thinking_, member(usage, "output_tokens_details"), "thinking_tokens");
  quarry_usage told = model_http::kNoUsage;
  const auto or_none = [](std::int64_t tokens) { return std::max<std::int64_t>(tokens, 0); };
  if (input_ >= 0) told.input_tokens = input_ + or_none(cache_read_) + or_none(cache_write_);
  told.output_tokens = output_;
  told.reasoning_tokens = thinking_;
  told.cache_read_tokens = cache_read_;
  told.cache_write_tokens = cache_write_;
  output.usage(told);
}

}  // namespace quarry::anthropic
