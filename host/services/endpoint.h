#pragma once

#include "base/error.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::services {

/// Host and port of a base URL.
struct Endpoint {
  std::string host;  ///< lower case, without the brackets of IPv6 and without a final dot
  std::uint16_t port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// Parses a base URL such as "http://127.0.0.1:11434/v1"; empty unless it is http or https with a
/// host and without a user. Covers only the syntax that base URLs need, so that libcurl is not
/// loaded for it. [any thread]
[[nodiscard]] std::optional<Endpoint> parse_endpoint(std::string_view url);

/// Parses a URL such as "ssh://git@example.org:2222/x"; empty unless it is such a URL with a host.
/// [any thread]
[[nodiscard]] std::optional<Endpoint> parse_ssh_endpoint(std::string_view url);

/// True if the host is "localhost" or a loopback address; resolves no name. [any]
[[nodiscard]] bool is_loopback(const Endpoint& endpoint);

/// Checks that a server listens at a loopback endpoint; waits at most `limit` for each of its
/// addresses. Fails with kUnavailable, for example "connection refused". [any thread, blocks]
Status try_connect(const Endpoint& endpoint, std::chrono::milliseconds limit);

}  // namespace quarry::services
