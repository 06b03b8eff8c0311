#pragma once

#include "json.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::mcp {

// Error codes of JSON-RPC 2.0, then of the Model Context Protocol.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
inline constexpr int kRequestCancelled = -32800;

struct RpcError {
  int code = kInternalError;
  std::string message;
  std::string data = {};  // JSON; empty = none
};

inline constexpr std::size_t kMostInABatch = 50;

/// One JSON-RPC 2.0 message.
struct Message {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };

  Kind kind = Kind::kInvalid;
  std::string id = "null";    // JSON, exactly as received
  bool has_plain_id = false;  // a string or a whole number, the types that MCP allows
  std::string method;
  std::shared_ptr<const Json> params;  // an object or an array; null for a response
  RpcError problem;                    // if kInvalid
};

/// The messages of one body or line.
struct Messages {
  bool is_batch = false;
  std::vector<Message> all;
  // Set if there is no message: not JSON, or a batch that is empty or too large.
  std::optional<RpcError> problem;
};

/// Parses by the rules of https://www.jsonrpc.org/specification only; further rules of MCP are not
/// checked. Ids may be any number or string, but not null.
[[nodiscard]] Messages parse_messages(std::string_view text);

[[nodiscard]] std::string result_message(std::string_view id, std::string_view result);
[[nodiscard]] std::string error_message(std::string_view id, const RpcError& error);
[[nodiscard]] std::string notification_message(std::string_view method, std::string_view params);

}  // namespace quarry::mcp
