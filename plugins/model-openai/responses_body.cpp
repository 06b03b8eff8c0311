#include "model-openai/responses_body.h"

#include "model-openai/model_names.h"
#include "model_http/json_text.h"

namespace quarry::openai {
namespace {

using Json = nlohmann::json;
using model_http::Message;
using model_http::Role;

/// The items of one assistant message, each kept item at its original position: {"item", "calls":
/// number of calls before it, "afterText"}; or {"phase"} of the text.
class Assistant {
 public:
  Assistant(const Message& message, Json& input) : message_(message), input_(input) {}

  void add() {
    add_kept(0, false);
    if (!message_.text.empty()) input_.push_back(text());
    add_kept(0, true);
    for (std::size_t i = 0; i < message_.tool_calls.size(); ++i) {
      const auto& call = message_.tool_calls[i];
      input_.push_back({{"type", "function_call"},
                        {"call_id", call.id},
                        {"name", call.name},
                        {"arguments", call.arguments.dump()}});
      add_kept(i + 1, false);
      add_kept(i + 1, true);
    }
  }

 private:
  void add_kept(std::size_t calls, bool after_text) {
    for (const Json& kept : message_.kept) {
      const Json& item = model_http::member(kept, "item");
      const bool here = model_http::member(kept, "afterText") == after_text &&
                        model_http::count_member(kept, "calls") == static_cast<std::int64_t>(calls);
      if (item.is_object() && here) input_.push_back(item);
    }
  }

  [[nodiscard]] Json text() const {
    Json out = {{"type", "message"},
                {"role", "assistant"},
                {"content", {{{"type", "output_text"}, {"text", message_.text}}}}};
    for (const Json& kept : message_.kept) {
      if (const auto phase = model_http::text_member(kept, "phase"); !phase.empty()) {
        out["phase"] = phase;
      }
    }
    return out;
  }

  const Message& message_;
  Json& input_;
};

Json input_of(const model_http::ChatRequest& chat) {
  Json out = Json::array();
  for (const Message& message : chat.messages) {
    if (message.role == Role::kUser) {
      out.push_back({{"type", "message"}, {"role", "user"}, {"content", message.text}});
    } else if (message.role == Role::kTool) {
      out.push_back({{"type", "function_call_output"},
                     {"call_id", message.tool_call_id},
                     {"output", message.text}});
    } else {
      Assistant(message, out).add();
    }
  }
  return out;
}

/// The tools, without `strict`, which requires schemas without optional members.
Json response_tools(const std::vector<model_http::Tool>& tools) {
  Json out = Json::array();
  for (const auto& tool : tools) {
    out.push_back({{"type", "function"},
                   {"name", tool.name},
                   {"description", tool.description},
                   {"parameters", tool.parameters},
                   {"strict", false}});
  }
  return out;
}

}  // namespace

Json responses_body(const model_http::ChatRequest& chat, const Options& options) {
  Json body = {
      {"model", chat.model}, {"input", input_of(chat)}, {"stream", true}, {"store", false}};
  if (!chat.system.empty()) body["instructions"] = chat.system;
  if (may_reason(chat.model)) body["include"] = {"reasoning.encrypted_content"};
  if (!chat.tools.empty()) {
    body["tools"] = response_tools(chat.tools);
    // They stay declared, because earlier calls refer to them.
    if (!chat.tools_allowed) body["tool_choice"] = "none";
  }
  if (const auto most = options.most_tokens(chat.max_output_tokens); most > 0) {
    body["max_output_tokens"] = most;
  }
  if (options.request.temperature) body["temperature"] = *options.request.temperature;
  if (!options.reasoning_effort.empty()) body["reasoning"] = {{"effort", options.reasoning_effort}};
  options.request.merge_into(body);
  return body;
}

}  // namespace quarry::openai
