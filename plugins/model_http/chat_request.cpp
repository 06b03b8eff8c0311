#include "model_http/chat_request.h"

#include <array>
#include <utility>

namespace quarry::model_http {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 3> kRoles = {
    {{"user", Role::kUser}, {"assistant", Role::kAssistant}, {"tool", Role::kTool}}};

Role role_of(const Json& message) {
  const std::string name = message.at("role");
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  throw std::invalid_argument("the role \"" + name + "\" is not known");
}

Message parse_message(const Json& json) {
  Message out;
  out.role = role_of(json);
  out.text = json.value("text", "");
  out.reasoning = json.value("reasoning", "");
  for (const Json& call : json.value("toolCalls", Json::array())) {
    out.tool_calls.push_back({call.at("id"), call.at("name"), call.at("arguments")});
  }
  for (const Json& value : json.value("kept", Json::array())) out.kept.push_back(value);
  out.tool_call_id = json.value("toolCallId", "");
  out.name = json.value("name", "");
  out.failed = json.value("failed", false);
  return out;
}

ChatRequest request_of(const Json& json) {
  ChatRequest out;
  out.model = json.value("model", "");
  out.system = json.value("system", "");
  for (const Json& message : json.at("messages")) out.messages.push_back(parse_message(message));
  for (const Json& tool : json.value("tools", Json::array())) {
    out.tools.push_back({tool.at("name"), tool.value("description", ""), tool.at("parameters")});
  }
  out.max_output_tokens = json.value("maxOutputTokens", std::int64_t{0});
  out.tools_allowed = json.value("toolsAllowed", true);
  out.options = json.value("options", Json::object());
  return out;
}

}  // namespace

Outcome<ChatRequest> ChatRequest::read(std::string_view json) {
  try {
    ChatRequest out = request_of(Json::parse(json));
    if (!out.model.empty()) return out;
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "no model is named",
                   "\"quarry models\" lists the models; set model.name.",
                   {}};
  } catch (const std::exception& error) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "the chat request is invalid: " + std::string(error.what()),
                   {},
                   {}};
  }
}

}  // namespace quarry::model_http
