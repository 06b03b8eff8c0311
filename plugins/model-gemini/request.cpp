#include "model-gemini/request.h"

#include "model_http/json_text.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <array>

namespace quarry::gemini {
namespace {

using model_http::ChatRequest;
using model_http::Json;
using model_http::Message;
using model_http::RequestOptions;
using model_http::Role;

// Documented by Google for calls of another model, which have no signature.
constexpr std::string_view kNoSignature = "skip_thought_signature_validator";

// These models reject requests for their thoughts.
constexpr std::array<std::string_view, 4> kWithoutThoughts = {"gemini-1", "gemini-2.0", "gemma",
                                                              "learnlm"};

std::string_view bare_name(std::string_view model) {
  constexpr std::string_view kModels = "models/";
  return model.starts_with(kModels) ? model.substr(kModels.size()) : model;
}

/// "models/gemini-2.5-flash"; names with their own collection ("tunedModels/x") stay.
std::string resource_of(std::string_view model) {
  const std::string_view name = bare_name(model);
  const bool has_collection = name.find('/') != std::string_view::npos;
  return (has_collection ? "" : "models/") + to_percent_encoded(name, "/");
}

Json text_part(std::string_view text) {
  return {{"text", text}};
}

bool is_call(const Json& part) {
  return part.is_object() && part.contains("functionCall");
}

/// The parts as Gemini sent them; null when another provider wrote the message, or its calls have
/// changed.
Json kept_parts(const Message& message) {
  for (const Json& kept : message.kept) {
    const Json& parts = model_http::member(kept, kKeptTag);
    if (!parts.is_array()) continue;
    const auto calls = std::count_if(parts.begin(), parts.end(), is_call);
    if (static_cast<std::size_t>(calls) == message.tool_calls.size()) return parts;
  }
  return {};
}

Json parts_of(const Message& message) {
  Json parts = Json::array();
  if (!message.text.empty()) parts.push_back(text_part(message.text));
  for (const auto& call : message.tool_calls) {
    Json part = {
        {"functionCall", {{"id", call.id}, {"name", call.name}, {"args", call.arguments}}}};
    if (&call == &message.tool_calls.front()) part["thoughtSignature"] = kNoSignature;
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Names of the last assistant message's calls in Gemini, which may have assigned no ids.
struct CallNames {
  std::vector<std::string> ours;
  std::vector<Json> calls;  ///< the functionCall of each

  void remember(const Message& message, const Json& parts) {
    ours.clear();
    calls.clear();
    for (const auto& call : message.tool_calls) ours.push_back(call.id);
    for (const Json& part : parts) {
      if (is_call(part)) calls.push_back(part["functionCall"]);
    }
  }
  /// Null when there is no such call.
  [[nodiscard]] const Json& find(const std::string& id) const {
    static const Json none;
    const auto found = std::find(ours.begin(), ours.end(), id);
    return found == ours.end() ? none : calls[static_cast<std::size_t>(found - ours.begin())];
  }
};

Json response_part(const Message& message, const CallNames& names) {
  const Json& call = names.find(message.tool_call_id);
  Json response = {{"name", message.name},
                   {"response", {{message.failed ? "error" : "output", message.text}}}};
  for (const char* key : {"id", "name"}) {
    if (model_http::member(call, key).is_string()) response[key] = call[key];
  }
  return {{"functionResponse", std::move(response)}};
}

Json content(std::string_view role, Json parts) {
  return {{"role", role}, {"parts", std::move(parts)}};
}

/// The messages as contents; all results of one turn are in one content.
Json contents_of(const std::vector<Message>& messages) {
  Json contents = Json::array();
  CallNames names;
  bool in_results = false;
  for (const Message& message : messages) {
    if (message.role == Role::kTool) {
      if (!in_results) contents.push_back(content("user", Json::array()));
      contents.back()["parts"].push_back(response_part(message, names));
    } else if (message.role == Role::kUser) {
      contents.push_back(content("user", Json::array({text_part(message.text)})));
    } else {
      Json parts = kept_parts(message);
      if (parts.is_null()) parts = parts_of(message);
      names.remember(message, parts);
      if (!parts.empty()) contents.push_back(content("model", std::move(parts)));
    }
    in_results = message.role == Role::kTool;
  }
  return contents;
}

Json tools_of(const ChatRequest& chat) {
  Json declarations = Json::array();
  for (const auto& tool : chat.tools) {
    declarations.push_back({{"name", tool.name},
                            {"description", tool.description},
                            {"parametersJsonSchema", tool.parameters}});
  }
  return Json::array({{{"functionDeclarations", std::move(declarations)}}});
}

bool thinks(std::string_view model) {
  return std::none_of(kWithoutThoughts.begin(), kWithoutThoughts.end(),
                      [&](std::string_view name) { return bare_name(model).starts_with(name); });
}

Json generation_config(const ChatRequest& chat, const RequestOptions& options) {
  Json config = Json::object();
  const std::int64_t most =
      options.max_output_tokens > 0 ? options.max_output_tokens : chat.max_output_tokens;
  if (most > 0) config["maxOutputTokens"] = most;
  if (thinks(chat.model)) config["thinkingConfig"]["includeThoughts"] = true;
  if (options.temperature) config["temperature"] = *options.temperature;
  return config;
}

}  // namespace

std::string url_of(const model_http::Settings& settings, std::string_view resource) {
  const std::string& base = settings.base_url;
  const bool versioned = base.ends_with("/v1beta") || base.ends_with("/v1");
  return base + (versioned ? "/" : "/v1beta/") + std::string(resource);
}

std::vector<HttpHeader> key_of(const model_http::Settings& settings) {
  if (settings.secret.empty()) return {};
  return {{"x-goog-api-key", "", settings.secret}};
}

Json body_of(const ChatRequest& chat, const RequestOptions& options) {
  Json body = {{"contents", contents_of(chat.messages)},
               {"generationConfig", generation_config(chat, options)}};
  if (!chat.system.empty()) {
    body["systemInstruction"] = {{"parts", Json::array({text_part(chat.system)})}};
  }
  if (!chat.tools.empty()) {
    body["tools"] = tools_of(chat);
    if (!chat.tools_allowed) body["toolConfig"]["functionCallingConfig"]["mode"] = "NONE";
  }
  options.merge_into(body);
  return body;
}

HttpRequest request_of(const model_http::Settings& settings, const RequestOptions& options,
                       const ChatRequest& chat) {
  HttpRequest request{"POST",
                      url_of(settings, resource_of(chat.model) + ":streamGenerateContent?alt=sse"),
                      key_of(settings), body_of(chat, options).dump()};
  request.headers.push_back({"content-type", "application/json", {}});
  options.add_headers_to(request.headers);
  return request;
}

}  // namespace quarry::gemini
