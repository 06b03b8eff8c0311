#pragma once

#include <quarry/outcome.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

using Json = nlohmann::json;

struct ToolCall {
  std::string id;
  std::string name;
  Json arguments;  ///< an object
};

enum class Role { kUser, kAssistant, kTool };

/// One message of a conversation; the role determines the members used.
struct Message {
  Role role = Role::kUser;
  std::string text;
  std::string reasoning;             ///< assistant
  std::vector<ToolCall> tool_calls;  ///< assistant
  std::vector<Json> kept;            ///< assistant: values that the provider wants back, in order
  std::string tool_call_id;          ///< tool
  std::string name;                  ///< tool
  bool failed = false;               ///< tool
};

struct Tool {
  std::string name;
  std::string description;
  Json parameters;  ///< JSON Schema
};

/// The chat request of <quarry/model.h>.
struct ChatRequest {
  std::string model;
  std::string system;
  std::vector<Message> messages;
  std::vector<Tool> tools;
  std::int64_t max_output_tokens = 0;  ///< 0 = the provider's own limit
  bool tools_allowed = true;
  Json options = Json::object();

  /// QUARRY_INVALID_ARGUMENT when it violates the contract, or names no model.
  static Outcome<ChatRequest> read(std::string_view json);
};

}  // namespace quarry::model_http
