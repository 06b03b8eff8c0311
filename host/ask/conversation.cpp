#include "ask/conversation.h"

#include "ask/function_calls.h"
#include "base/json_writer.h"
#include "base/schema.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

constexpr std::string_view kLastStep =
    "This is the last step: no more tools can be used. Answer now with what you have found, and "
    "say what is missing.";

constexpr std::string_view kCorrection =
    "The tool call of your last message could not be read. Repeat it as one call of a declared "
    "tool, whose arguments are one valid JSON object, or answer without a tool.";

constexpr std::string_view kDropped =
    "[earlier result dropped to free space; call the tool again if needed]";

constexpr std::string_view kTool = "tool";

void add_call(JsonWriter& json, const ToolCall& call) {
  const auto arguments = parse_arguments(call);
  json.object([&] {
    json.member("id", call.id).member("name", call.name);
    json.raw("arguments", arguments ? to_text(*arguments) : "{}");
  });
}

}  // namespace

Conversation::Conversation(std::string_view rules, std::string resources, std::string_view tools,
                           const std::vector<Turn>& history, std::string_view question)
    : rules_(rules), resources_(std::move(resources)), tools_(tools), turns_(2 * history.size()) {
  for (const Turn& turn : history) {
    messages_.push_back({.role = "user", .text = json_string(turn.question)});
    messages_.push_back({.role = "assistant", .text = json_string(turn.answer)});
  }
  messages_.push_back({.role = "user", .text = json_string(question)});
}

void Conversation::add_step(const Step& step, const Candidate& author) {
  Message said{.role = "assistant", .text = json_string(step.text), .author = &author};
  if (!step.calls.empty()) {
    said.members = json_object([&](JsonWriter& json) {
      json.array("toolCalls", [&] {
        for (const auto& call : step.calls) add_call(json, call);
      });
    });
  }
  said.private_members = json_object([&](JsonWriter& json) {
    if (!step.reasoning.empty()) json.member("reasoning", step.reasoning);
    if (!step.kept.empty()) json.raw_array("kept", step.kept);
  });
  messages_.push_back(std::move(said));
}

void Conversation::add_correction() {
  messages_.push_back({.role = "user", .text = json_string(kCorrection)});
}

void Conversation::add_result(const ToolCall& call, std::string_view text, bool failed) {
  auto members = json_object([&](JsonWriter& json) {
    json.member("toolCallId", call.id).member("name", call.name).member("failed", failed);
  });
  messages_.push_back({.role = kTool, .text = json_string(text), .members = std::move(members)});
}

std::string Conversation::request(const Candidate& candidate, std::int64_t max_output_tokens,
                                  bool last) const {
  std::string out;
  out.reserve(size(candidate));
  JsonWriter json(out);
  json.object([&] {
    json.member("model", candidate.name).member("system", std::string(rules_) + resources_);
    json.array("messages", [&] {
      for (const Message& message : messages_) {
        json.object([&] {
          json.member("role", message.role).raw("text", message.text);
          json.raw_members(message.members);
          if (message.author == &candidate) json.raw_members(message.private_members);
        });
      }
      if (last) json.object([&] { json.member("role", "user").member("text", kLastStep); });
    });
    json.raw("tools", tools_).member("maxOutputTokens", max_output_tokens);
    json.member("toolsAllowed", !last);
    json.raw("options", candidate.options.empty() ? "{}" : candidate.options);
  });
  return out;
}

std::size_t Conversation::size(const Candidate& candidate) const {
  constexpr std::size_t kFrame = 32;  // JSON member names and punctuation of a message
  std::size_t out = rules_.size() + resources_.size() + tools_.size() + 8 * kFrame;
  for (const Message& message : messages_) {
    out += message.text.size() + message.members.size() + kFrame;
    if (message.author == &candidate) out += message.private_members.size();
  }
  return out;
}

bool Conversation::free_space(std::size_t bytes) {
  const auto last_step =
      std::ranges::find(messages_.rbegin(), messages_.rend(), "assistant", &Message::role);
  std::size_t freed = 0;
  for (Message* const result : results({messages_.begin(), last_step.base()})) {
    if (freed >= bytes) return true;
    freed += drop(*result);
  }
  for (; freed < bytes && turns_ > 0; turns_ -= 2) {
    freed += messages_[0].text.size() + messages_[1].text.size();
    messages_.erase(messages_.begin(), messages_.begin() + 2);
  }
  return freed > 0;
}

bool Conversation::drop_older_half() {
  const auto left = results(messages_);
  for (std::size_t i = 0; i < left.size() / 2; ++i) drop(*left[i]);
  return left.size() > 1;
}

std::vector<Conversation::Message*> Conversation::results(std::span<Message> messages) {
  std::vector<Message*> out;
  for (Message& message : messages) {
    if (message.role == kTool && !message.dropped) out.push_back(&message);
  }
  return out;
}

std::size_t Conversation::drop(Message& message) {
  const std::size_t before = message.text.size();
  message.text = json_string(kDropped);
  message.dropped = true;
  return before - std::min(before, message.text.size());
}

Result<Json> parse_arguments(const ToolCall& call) {
  if (call.arguments.empty()) return Json::object();
  auto value = parse_call_arguments(call.arguments);
  if (!value) {
    return Error{Code::kInvalidArgument,
                 "The arguments of " + call.name + " are not JSON: " + value.error().message};
  }
  if (value->is_null()) return Json::object();
  static const Schema object = compiled_schema(R"({"type": "object"})");
  object.coerce(*value);
  if (!value->is_object()) {
    return Error{Code::kInvalidArgument,
                 "The arguments of " + call.name + " must be one JSON object."};
  }
  return value;
}

}  // namespace quarry::ask
