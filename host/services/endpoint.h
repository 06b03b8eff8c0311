#pragma once

#include "base/error.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::services {

/// The server a base URL names.
struct Endpoint {
  std::string host;  ///< lower case, without the brackets of IPv6 and without a final dot
  std::uint16_t port = 0;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// Of "http://127.0.0.1:11434/v1"; none unless it is http or https with a host, without a user.
/// Reads no more of URLs than base URLs need, so that none of libcurl is loaded for it. [any
/// thread]
[[nodiscard]] std::optional<Endpoint> parse_endpoint(std::string_view url);

/// Of "ssh://git@example.org:2222/x"; none unless it is such a URL with a host. [any thread]
[[nodiscard]] std::optional<Endpoint> parse_ssh_endpoint(std::string_view url);

/// Whether the host is "localhost" or a loopback address: known without a name service. [any]
[[nodiscard]] bool is_loopback(const Endpoint& endpoint);

/// Whether something listens at a loopback endpoint; waits `limit` at most for each of its
/// addresses. kUnavailable, as in "connection refused". [any thread, blocks]
Status try_connect(const Endpoint& endpoint, std::chrono::milliseconds limit);

}  // namespace quarry::services
