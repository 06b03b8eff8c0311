#include "model-anthropic/messages.h"

#include "model-anthropic/kept.h"

#include <algorithm>
#include <string>

namespace quarry::anthropic {
namespace {

using model_http::Json;
using model_http::Message;
using model_http::Role;

/// Joins blocks into turns.
class Turns {
 public:
  void add(const char* role, Json block) {
    if (turns_.empty() || turns_.back()["role"] != role) {
      turns_.push_back({{"role", role}, {"content", Json::array()}});
    }
    Json& content = turns_.back()["content"];
    if (!is_result(block)) return content.push_back(std::move(block));
    const auto place = std::find_if_not(content.begin(), content.end(), is_result);
    content.insert(place, std::move(block));
  }
  Json take() { return std::move(turns_); }

 private:
  static bool is_result(const Json& block) {
    return model_http::text_member(block, "type") == "tool_result";
  }

  Json turns_ = Json::array();
};

/// Replaces the characters of other providers' ids that this one rejects.
std::string id_of(std::string id) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
  };
  for (char& c : id) c = allowed(c) ? c : '_';
  return id;
}

Json text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

Json call_block(const model_http::ToolCall& call) {
  return {
      {"type", "tool_use"}, {"id", id_of(call.id)}, {"name", call.name}, {"input", call.arguments}};
}

Json result_block(const Message& message) {
  Json block = {{"type", "tool_result"}, {"tool_use_id", id_of(message.tool_call_id)}};
  if (!message.text.empty()) block["content"] = message.text;
  if (!message.failed) return block;
  block["is_error"] = true;
  if (message.text.empty()) block["content"] = "The tool failed and did not say why.";
  return block;
}

/// Adds an assistant message, with its kept thinking at the original positions.
void add_assistant(const Message& message, Turns& turns) {
  if (is_blank(message.text) && message.tool_calls.empty()) return;
  std::string_view text = message.text;
  std::size_t said = 0;
  std::size_t called = 0;
  const auto go_to = [&](std::size_t bytes, std::size_t calls) {
    const auto piece = text.substr(said, bytes - std::min(bytes, said));
    said += piece.size();
    if (!is_blank(piece)) turns.add("assistant", text_block(piece));
    while (called < std::min(calls, message.tool_calls.size())) {
      turns.add("assistant", call_block(message.tool_calls[called++]));
    }
  };
  for (const Json& value : message.kept) {
    Kept kept = Kept::read(value);
    if (!kept.block.is_object()) continue;
    go_to(kept.text, kept.calls);
    turns.add("assistant", std::move(kept.block));
  }
  go_to(text.size(), message.tool_calls.size());
}

}  // namespace

Json messages_of(const std::vector<Message>& messages) {
  Turns turns;
  for (const Message& message : messages) {
    if (message.role == Role::kAssistant) {
      add_assistant(message, turns);
    } else if (message.role == Role::kTool) {
      turns.add("user", result_block(message));
    } else if (!is_blank(message.text)) {
      turns.add("user", text_block(message.text));
    }
  }
  return turns.take();
}

void mark_history(Json& messages) {
  int marked = 0;
  for (auto turn = messages.rbegin(); turn != messages.rend() && marked < 2; ++turn) {
    if ((*turn)["role"] != "user") continue;
    mark((*turn)["content"].back());
    ++marked;
  }
}

void mark(Json& block) {
  block["cache_control"] = {{"type", "ephemeral"}};
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

}  // namespace quarry::anthropic
