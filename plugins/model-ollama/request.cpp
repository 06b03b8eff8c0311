#include "model-ollama/request.h"

namespace quarry::ollama {
namespace {

using model_http::ChatRequest;
using model_http::Json;
using model_http::Message;
using model_http::Role;

Json plain(std::string_view role, std::string_view text) {
  return {{"role", role}, {"content", text}};
}

Json assistant(const Message& message) {
  Json out = plain("assistant", message.text);
  if (message.tool_calls.empty()) return out;
  if (!message.reasoning.empty()) out["thinking"] = message.reasoning;
  for (const auto& call : message.tool_calls) {
    out["tool_calls"].push_back(
        {{"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return out;
}

/// The protocol has no flag for a failed tool, so the text says it.
Json result(const Message& message) {
  Json out = plain("tool", message.failed ? "Error: " + message.text : message.text);
  out["tool_name"] = message.name;
  return out;
}

Json messages_of(const ChatRequest& chat) {
  Json out = Json::array();
  if (!chat.system.empty()) out.push_back(plain("system", chat.system));
  for (const Message& message : chat.messages) {
    switch (message.role) {
      case Role::kUser:
        out.push_back(plain("user", message.text));
        break;
      case Role::kAssistant:
        out.push_back(assistant(message));
        break;
      case Role::kTool:
        out.push_back(result(message));
        break;
    }
  }
  return out;
}

Json tools_of(const ChatRequest& chat) {
  Json out = Json::array();
  for (const auto& tool : chat.tools) {
    out.push_back({{"type", "function"},
                   {"function",
                    {{"name", tool.name},
                     {"description", tool.description},
                     {"parameters", tool.parameters}}}});
  }
  return out;
}

Json model_options(const ChatRequest& chat, const Options& options) {
  Json out = Json::object();
  const auto& request = options.request;
  const std::int64_t most =
      request.max_output_tokens > 0 ? request.max_output_tokens : chat.max_output_tokens;
  if (most > 0) out["num_predict"] = most;
  if (options.context_tokens > 0) out["num_ctx"] = options.context_tokens;
  if (request.temperature) out["temperature"] = *request.temperature;
  return out;
}

}  // namespace

std::vector<HttpHeader> key_of(const model_http::Settings& settings) {
  if (settings.secret.empty()) return {};
  return {{"authorization", "Bearer ", settings.secret}};
}

Json body_of(const ChatRequest& chat, const Options& options) {
  Json body = {{"model", chat.model},
               {"stream", true},
               {"messages", messages_of(chat)},
               {"options", model_options(chat, options)}};
  // The only way to forbid tools is to omit them.
  if (!chat.tools.empty() && chat.tools_allowed) body["tools"] = tools_of(chat);
  if (!options.think.is_null()) body["think"] = options.think;
  if (!options.keep_alive.is_null()) body["keep_alive"] = options.keep_alive;
  options.request.merge_into(body);
  return body;
}

HttpRequest request_of(const model_http::Settings& settings, const Options& options,
                       const ChatRequest& chat) {
  HttpRequest request{"POST", settings.base_url + "/api/chat", key_of(settings),
                      body_of(chat, options).dump()};
  request.headers.push_back({"content-type", "application/json", {}});
  options.request.add_headers_to(request.headers);
  return request;
}

}  // namespace quarry::ollama
