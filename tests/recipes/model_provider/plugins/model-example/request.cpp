#include "model-example/request.h"

namespace quarry::example {
namespace {

using model_http::ChatRequest;
using model_http::Json;
using model_http::Message;
using model_http::Role;

Json message_of(const Message& message) {
  if (message.role == Role::kUser) return {{"user", message.text}};
  if (message.role == Role::kTool) return {{"result", message.text}, {"of", message.name}};
  Json out = {{"assistant", message.text}};
  for (const auto& call : message.tool_calls) {
    out["calls"].push_back({{"name", call.name}, {"arguments", call.arguments}});
  }
  return out;
}

Json tools_of(const ChatRequest& chat) {
  Json out = Json::array();
  for (const auto& tool : chat.tools) {
    out.push_back(
        {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}});
  }
  return out;
}

Json body_of(const ChatRequest& chat, const Options& options) {
  Json body = {{"model", chat.model}, {"system", chat.system}, {"messages", Json::array()}};
  for (const Message& message : chat.messages) body["messages"].push_back(message_of(message));
  if (chat.tools_allowed) body["tools"] = tools_of(chat);
  if (!options.style.empty()) body["style"] = options.style;
  const auto& request = options.request;
  const std::int64_t most =
      request.max_output_tokens > 0 ? request.max_output_tokens : chat.max_output_tokens;
  if (most > 0) body["maxTokens"] = most;
  if (request.temperature) body["temperature"] = *request.temperature;
  request.merge_into(body);
  return body;
}

}  // namespace

Outcome<Options> Options::read(Json members) {
  Options out;
  auto request = model_http::RequestOptions::take(members);
  if (!request) return request.failure();
  out.request = std::move(*request);
  if (const Json style = members.value("style", Json()); style.is_string()) {
    out.style = style.get<std::string>();
    members.erase("style");
  }
  if (auto unknown = model_http::unknown_member(members)) return *unknown;
  return out;
}

std::vector<HttpHeader> key_of(const model_http::Settings& settings) {
  if (settings.secret.empty()) return {};
  return {{"authorization", "Bearer ", settings.secret}};
}

HttpRequest request_of(const model_http::Settings& settings, const Options& options,
                       const ChatRequest& chat) {
  HttpRequest request{"POST", settings.base_url + "/answer", key_of(settings),
                      body_of(chat, options).dump()};
  request.headers.push_back({"content-type", "application/json", {}});
  const auto& own = options.request.headers;
  request.headers.insert(request.headers.end(), own.begin(), own.end());
  return request;
}

}  // namespace quarry::example
