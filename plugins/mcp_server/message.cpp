#include "message.h"

#include <quarry/json.hpp>

#include <cmath>

#include <nlohmann/json.hpp>

namespace quarry::mcp {
namespace {

const std::shared_ptr<const Json>& no_params() {
  static const auto kNone = std::make_shared<const Json>(Json::object());
  return kNone;
}

Message invalid(Message message, std::string why) {
  message.kind = Message::Kind::kInvalid;
  message.problem = {kInvalidRequest, std::move(why)};
  return message;
}

/// True if `id` is a string or a number. Keeps its text, and notes if MCP allows it.
bool take_id(Message& message, const Json& id, std::string_view text) {
  const auto raw = json::member(text, "id");
  if (!raw || (!id.is_string() && !id.is_number())) return false;
  message.id = *raw;
  const bool is_whole = id.is_number() && std::trunc(id.get<double>()) == id.get<double>();
  message.has_plain_id = id.is_string() || is_whole;
  return true;
}

bool take_params(Message& message, const std::shared_ptr<const Json>& root, const Json& object) {
  const Json* const params = find(object, "params");
  // PHP makes an empty list of an empty map.
  if (params == nullptr || params->is_null() || *params == Json::array()) {
    message.params = no_params();
    return true;
  }
  if (!params->is_structured()) return false;
  message.params = std::shared_ptr<const Json>(root, params);
  return true;
}

/// `text` is the source of `object`.
Message read(const std::shared_ptr<const Json>& root, const Json& object, std::string_view text) {
  Message message;
  if (!object.is_object()) return invalid(std::move(message), "a message must be an object");
  const Json* const id = find(object, "id");
  if (id != nullptr && !take_id(message, *id, text)) {
    return invalid(std::move(message), "id must be a string or a number");
  }
  if (find_string(object, "jsonrpc") != "2.0") {
    return invalid(std::move(message), "jsonrpc must be \"2.0\"");
  }
  const Json* const method = find(object, "method");
  if (method == nullptr && id != nullptr &&
      (object.contains("result") != object.contains("error"))) {
    message.kind = Message::Kind::kResponse;
    return message;
  }
  if (method == nullptr || !method->is_string()) {
    return invalid(std::move(message), "method must be a string");
  }
  message.method = method->get<std::string>();
  if (!take_params(message, root, object)) {
    return invalid(std::move(message), "params must be an object");
  }
  message.kind = id == nullptr ? Message::Kind::kNotification : Message::Kind::kRequest;
  return message;
}

}  // namespace

Messages parse_messages(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Messages messages;
  const auto parsed = parse_json(text);
  if (!parsed) {
    const JsonProblem& problem = parsed.problem;
    const std::string where =
        problem.position == 0 ? "" : " at byte " + std::to_string(problem.position);
    messages.problem = {kParseError, "the body is not JSON" + where + ": " + problem.message};
    return messages;
  }
  const auto& root = parsed.value;
  if (!root->is_array()) {
    messages.all.push_back(read(root, *root, text));
    return messages;
  }
  messages.is_batch = true;
  if (root->empty()) messages.problem = {kInvalidRequest, "a batch must not be empty"};
  if (root->size() > kMostInABatch) {
    messages.problem = {kInvalidRequest, "a batch has at most 50 messages"};
  }
  if (messages.problem) return messages;
  quarry_json_walk walk{as_text(text), 0};
  quarry_text key{};
  quarry_text element{};
  for (const Json& object : *root) {
    quarry_json_next(&walk, &key, &element);
    messages.all.push_back(read(root, object, as_view(element)));
  }
  return messages;
}

std::string result_message(std::string_view id, std::string_view result) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out.reserve(out.size() + id.size() + result.size() + 16);
  out.append(id).append(R"(,"result":)").append(result).append("}");
  return out;
}

std::string error_message(std::string_view id, const RpcError& error) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out.append(id).append(R"(,"error":{"code":)").append(std::to_string(error.code));
  out.append(R"(,"message":)").append(json_string(error.message));
  if (!error.data.empty()) out.append(R"(,"data":)").append(error.data);
  return out + "}}";
}

std::string notification_message(std::string_view method, std::string_view params) {
  std::string out = R"({"jsonrpc":"2.0","method":)";
  out.append(json_string(method)).append(R"(,"params":)").append(params).append("}");
  return out;
}

}  // namespace quarry::mcp
