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

/// The three kinds of callers, see docs/mcp.md.
enum class Era {
  kInterface,  // a bare call, without handshake and MCP metadata
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

/// MCP headers of a request. Empty for standard input and output.
struct RequestHead {
  std::optional<std::string> version;                           // MCP-Protocol-Version
  std::optional<std::string> method;                            // Mcp-Method
  std::optional<std::string> name;                              // Mcp-Name
  std::string session;                                          // Mcp-Session-Id
  std::vector<std::pair<std::string, std::string>> parameters;  // of Mcp-Param-…: name, value
  bool takes_json = true;
  bool takes_events = false;  // Accept names text/event-stream; "*/*" does not count
  bool shows_mcp = false;     // the headers show an MCP client
};
[[nodiscard]] RequestHead read_head(const http_server::Request& request);

/// A session belongs to a handshake, so its calls are legacy whatever version their header has.
[[nodiscard]] Era era_of(const RequestHead& head, const Message& message);

/// The version in the result of `initialize`: `requested` if known, else the newest version that
/// has a handshake.
[[nodiscard]] std::string_view negotiate(std::string_view requested);
/// True for every date since the first version, known or not, and for drafts.
[[nodiscard]] bool is_version(std::string_view version);
/// True for every date from 2026-07-28 on, known or not.
[[nodiscard]] bool is_modern_version(std::string_view version);

/// The error for a refused message, and its HTTP status.
struct Refused {
  int status = 400;
  RpcError error;
};
/// Checks the rules for all methods of an era: no handshake in a batch, an id of an allowed type, a
/// version of the protocol. Legacy versions that are not known are served like the others.
[[nodiscard]] std::optional<Refused> check_message(const RequestHead& head, const Message& message,
                                                   Era era, bool in_batch);
/// Checks the rules of the modern era: a complete _meta, a known version and, over HTTP, headers
/// equal to the body.
[[nodiscard]] std::optional<Refused> check_modern(const RequestHead& head, const Message& message,
                                                  bool over_http);
/// Checks that arguments marked "x-mcp-header" in `properties` (of a tool's input schema) have the
/// same value in the header Mcp-Param-….
[[nodiscard]] std::optional<Refused> check_parameters(const RequestHead& head,
                                                      const Json& properties,
                                                      const Json& arguments);

}  // namespace quarry::mcp
