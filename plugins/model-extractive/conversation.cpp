#include "model-extractive/conversation.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::extractive {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Name and arguments of the call `id` among `calls`.
ToolOutcome call_of(const Json& calls, const std::string& id) {
  for (const Json& call : calls) {
    if (text_of(call, "id") == id) {
      return {text_of(call, "name"), call.value("arguments", Json::object()).dump(), {}, false};
    }
  }
  return {};
}

}  // namespace

bool Conversation::has_called(const std::string& tool) const {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [&](const ToolOutcome& outcome) { return outcome.name == tool; });
}

Conversation read_conversation(const Json& chat_request) {
  Conversation out;
  const auto allowed = chat_request.find("toolsAllowed");
  out.tools_allowed =
      allowed == chat_request.end() || !allowed->is_boolean() || allowed->get<bool>();
  Json calls = Json::array();
  for (const Json& message : chat_request.value("messages", Json::array())) {
    const std::string role = text_of(message, "role");
    if (role == "user") {
      out.question = text_of(message, "text");
      out.outcomes.clear();
    } else if (role == "assistant") {
      calls = message.value("toolCalls", Json::array());
    } else if (role == "tool") {
      ToolOutcome outcome = call_of(calls, text_of(message, "toolCallId"));
      if (outcome.name.empty()) outcome.name = text_of(message, "name");
      outcome.text = text_of(message, "text");
      const auto failed = message.find("failed");
      outcome.failed = failed != message.end() && failed->is_boolean() && failed->get<bool>();
      out.outcomes.push_back(std::move(outcome));
    }
  }
  return out;
}

}  // namespace quarry::extractive
