#include "model-anthropic/request.h"

#include "model-anthropic/messages.h"
#include "provider_schema.h"

namespace quarry::anthropic {
namespace {

using model_http::ChatRequest;
using model_http::Json;

constexpr std::int64_t kUsualOutput = 8192;  // the API requires a limit

Json tools_of(const std::vector<model_http::Tool>& tools) {
  Json out = Json::array();
  for (const auto& tool : tools) {
    out.push_back({{"name", tool.name},
                   {"description", tool.description},
                   {"input_schema", tool.parameters}});
  }
  mark(out.back());
  return out;
}

Json system_of(const std::string& system) {
  Json block = {{"type", "text"}, {"text", system}};
  mark(block);
  return Json::array({std::move(block)});
}

std::int64_t max_tokens(const ChatRequest& chat, const Options& options) {
  if (options.common.max_output_tokens > 0) return options.common.max_output_tokens;
  return chat.max_output_tokens > 0 ? chat.max_output_tokens : kUsualOutput;
}

}  // namespace

Outcome<Options> Options::read(Json members) {
  Options out;
  auto common = model_http::RequestOptions::take(members);
  if (!common) return common.failure();
  out.common = std::move(*common);
  if (const auto found = members.find("thinking"); found != members.end()) {
    auto thinking = Thinking::read(*found);
    if (!thinking) return thinking.failure();
    out.thinking = std::move(*thinking);
    members.erase(found);
  }
  if (auto unknown = model_http::unknown_member(members)) return std::move(*unknown);
  return out;
}

Json schema() {
  return Json::parse(model_http::kSchema);
}

std::string url_of(const model_http::Settings& settings, std::string_view resource) {
  // Base URLs of other services end with /v1, by convention this one's does not.
  const bool versioned = settings.base_url.ends_with("/v1");
  return settings.base_url + (versioned ? "/" : "/v1/") + std::string(resource);
}

std::vector<HttpHeader> headers_of(const model_http::Settings& settings) {
  std::vector<HttpHeader> out = {{"anthropic-version", "2023-06-01", {}}};
  if (!settings.secret.empty()) out.push_back({"x-api-key", {}, settings.secret});
  return out;
}

Json body_of(const ChatRequest& chat, const Options& options) {
  Json body = {{"model", chat.model},
               {"max_tokens", max_tokens(chat, options)},
               {"stream", true},
               {"messages", messages_of(chat.messages)}};
  if (!is_blank(chat.system)) body["system"] = system_of(chat.system);
  if (!chat.tools.empty()) body["tools"] = tools_of(chat.tools);
  if (chat.tools_allowed) {
    mark_history(body["messages"]);
  } else if (!chat.tools.empty()) {
    // The API caches messages separately for each tool choice, and no step follows this one.
    body["tool_choice"] = {{"type", "none"}};
  }
  options.thinking.put_into(body);
  if (options.common.temperature && !options.thinking.is_asked_for()) {
    body["temperature"] = *options.common.temperature;
  }
  options.common.merge_into(body);
  return body;
}

HttpRequest request_of(const model_http::Settings& settings, const ChatRequest& chat,
                       const Options& options) {
  HttpRequest out{"POST", url_of(settings, "messages"), headers_of(settings), {}};
  out.headers.push_back({"content-type", "application/json", {}});
  out.headers.push_back({"accept", "text/event-stream", {}});
  options.common.add_headers_to(out.headers);
  out.body = body_of(chat, options).dump(-1, ' ', false, Json::error_handler_t::replace);
  return out;
}

}  // namespace quarry::anthropic
