#pragma once

#include "message.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::http_server {
struct Request;
}

namespace quarry::mcp {

/// Which of the three kinds of caller sent a message: see "The cloud surface" on the wire page.
enum class Era {
  kInterface,  // a bare call, no handshake, nothing of MCP
  kLegacy,     // revisions 2024-11-05 to 2025-11-25
  kModern,     // from 2026-07-28
};

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18",
                                                                    "2025-03-26", "2024-11-05"};

// Keys of params._meta in the modern era.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

/// What a request says of itself beside its body. On standard input and output: nothing.
struct RequestHead {
  std::optional<std::string> version;                           // MCP-Protocol-Version
  std::optional<std::string> method;                            // Mcp-Method
  std::optional<std::string> name;                              // Mcp-Name
  std::string session;                                          // Mcp-Session-Id
  std::vector<std::pair<std::string, std::string>> parameters;  // of Mcp-Param-…: name, value
  bool takes_json = true;
  bool takes_events = false;  // says so by name: "*/*" is no reason to stream
  bool shows_mcp = false;     // a client of MCP sent it, whatever is in its body
};
[[nodiscard]] RequestHead read_head(const http_server::Request& request);

[[nodiscard]] Era era_of(const RequestHead& head, const Message& message);

/// The version that `initialize` answers: the one asked for when it is known, else the newest
/// that has a handshake.
[[nodiscard]] std::string_view negotiate(std::string_view requested);
[[nodiscard]] bool is_legacy_version(std::string_view version);
/// From 2026-07-28 on, known or not.
[[nodiscard]] bool is_modern_version(std::string_view version);

/// Why a message is refused, and the status of it over HTTP.
struct Refused {
  int status = 400;
  RpcError error;
};
/// What holds for every message of an era, whatever its method: a batch has no handshake in it, a
/// request has an id of the right kind, a version is known.
[[nodiscard]] std::optional<Refused> check_message(const RequestHead& head, const Message& message,
                                                   Era era, bool in_batch);
/// What the modern era asks of each request: a complete _meta, a version we know and, over HTTP,
/// headers that say the same as the body.
[[nodiscard]] std::optional<Refused> check_modern(const RequestHead& head, const Message& message,
                                                  bool over_http);
/// `properties` are of a tool's input schema: arguments marked "x-mcp-header" must stand in the
/// header Mcp-Param-… with the same value.
[[nodiscard]] std::optional<Refused> check_parameters(const RequestHead& head,
                                                      const Json& properties,
                                                      const Json& arguments);

}  // namespace quarry::mcp
