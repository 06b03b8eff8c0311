#include "model-openai/chat_body.h"

#include "model-openai/model_names.h"
#include "model_http/json_text.h"

#include <algorithm>
#include <cctype>

namespace quarry::openai {
namespace {

using Json = nlohmann::json;
using model_http::Message;
using model_http::Role;

/// `id` as nine letters and digits: unchanged, or derived from it deterministically. Ids of another
/// provider occur when a question continues with this one.
std::string short_id(const std::string& id) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0; };
  if (id.size() == 9 && std::ranges::all_of(id, plain)) return id;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const unsigned char c : id) hash = (hash ^ c) * 1099511628211u;
  std::string out;
  for (int i = 0; i < 9; ++i, hash /= 36) out += "0123456789abcdefghijklmnopqrstuvwxyz"[hash % 36];
  return out;
}

constexpr const char* kReasoningContent = "reasoning_content";

class Encoder {
 public:
  Encoder(const Vendor& vendor, const model_http::ChatRequest& chat)
      : vendor_(vendor),
        joins_users_to_tools_(&vendor == &kMistral || is_of_mistral(chat.model)),
        wants_reasoning_(std::ranges::any_of(chat.messages, [](const Message& message) {
          return std::ranges::find(message.kept, kReasoningContent) != message.kept.end();
        })) {}

  [[nodiscard]] Json messages(const model_http::ChatRequest& chat) const {
    Json out = Json::array();
    if (!chat.system.empty()) out.push_back({{"role", "system"}, {"content", chat.system}});
    for (const Message& message : chat.messages) {
      const bool follows_tool = !out.empty() && out.back()["role"] == "tool";
      if (joins_users_to_tools_ && follows_tool && message.role == Role::kUser) {
        out.back()["content"].get_ref<std::string&>() += "\n\n" + message.text;
      } else {
        out.push_back(encode(message));
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::string id(const std::string& id) const {
    return vendor_.wants_short_call_ids ? short_id(id) : id;
  }

  [[nodiscard]] Json encode(const Message& message) const {
    switch (message.role) {
      case Role::kUser:
        return {{"role", "user"}, {"content", message.text}};
      case Role::kTool:
        return {{"role", "tool"},
                {"tool_call_id", id(message.tool_call_id)},
                {"content", message.text}};
      case Role::kAssistant:
        return assistant(message);
    }
    return {};
  }

  [[nodiscard]] Json assistant(const Message& message) const {
    Json out = {{"role", "assistant"}, {"content", message.text}};
    if (message.tool_calls.empty()) return out;
    if (message.text.empty()) out["content"] = nullptr;
    for (const auto& call : message.tool_calls) {
      out["tool_calls"].push_back(
          {{"id", id(call.id)},
           {"type", "function"},
           {"function", {{"name", call.name}, {"arguments", call.arguments.dump()}}}});
    }
    for (const Json& kept : message.kept) restore(kept, message, out);
    // A server that wants it back misses it in a step without a thought too.
    if (wants_reasoning_ && !out.contains(kReasoningContent)) out[kReasoningContent] = "";
    return out;
  }

  /// Restores what ChatDecoder kept: the name of the member that held the reasoning, or whole
  /// members.
  static void restore(const Json& kept, const Message& message, Json& out) {
    if (kept == "reasoning" || kept == kReasoningContent) {
      out[kept.get<std::string>()] = message.reasoning;
    }
    for (const char* name : {"reasoning_details", "thinking_blocks"}) {
      if (kept.is_object() && kept.contains(name)) out[name] = kept[name];
    }
    const Json& extras = model_http::member(kept, "calls");
    if (!extras.is_array()) return;
    for (std::size_t at = 0; at < std::min(extras.size(), out["tool_calls"].size()); ++at) {
      if (extras[at].is_object()) out["tool_calls"][at].update(extras[at]);
    }
  }

  const Vendor& vendor_;
  const bool joins_users_to_tools_;  ///< others refuse a message of a user after one of a tool
  const bool wants_reasoning_;
};

Json chat_tools(const std::vector<model_http::Tool>& tools) {
  Json out = Json::array();
  for (const auto& tool : tools) {
    out.push_back({{"type", "function"},
                   {"function",
                    {{"name", tool.name},
                     {"description", tool.description},
                     {"parameters", tool.parameters}}}});
  }
  return out;
}

void set_reasoning_effort(const Vendor& vendor, const std::string& effort, Json& body) {
  if (effort.empty()) return;
  if (vendor.takes_reasoning_object) {
    body["reasoning"] = {{"effort", effort}};
  } else {
    body["reasoning_effort"] = effort;
  }
}

}  // namespace

Json chat_body(const model_http::ChatRequest& chat, const Vendor& vendor, const Options& options,
               const RefusedParameters& refused) {
  Json body = {
      {"model", chat.model}, {"messages", Encoder(vendor, chat).messages(chat)}, {"stream", true}};
  if (!vendor.refuses_stream_options && !refused.stream_options) {
    body["stream_options"] = {{"include_usage", true}};
  }
  if (!chat.tools.empty()) {
    body["tools"] = chat_tools(chat.tools);
    // They stay declared, because earlier calls refer to them.
    if (!chat.tools_allowed) body["tool_choice"] = "none";
  }
  const auto most = options.most_tokens(chat.max_output_tokens);
  if (most > 0 && !options.request.body.contains("max_completion_tokens")) {
    const bool own = &vendor == &kOpenAi && is_of_openai(chat.model);
    body[own != refused.token_limit ? "max_completion_tokens" : "max_tokens"] = most;
  }
  if (options.request.temperature) body["temperature"] = *options.request.temperature;
  set_reasoning_effort(vendor, options.reasoning_effort, body);
  options.request.merge_into(body);
  return body;
}

}  // namespace quarry::openai
