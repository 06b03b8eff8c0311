#pragma once

#include "access.h"
#include "http_server/request.h"
#include "http_server/responder.h"
#include "http_server/response.h"
#include "http_server/traffic.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// The place of a request in the surface that received it.
struct Arrival {
  http_server::Responder responder;
  std::string headers;  // of every response to it
  std::string peer;     // the sender's IP address; empty = unknown
  http_server::Traffic& traffic;
  std::size_t route;  // of all further paths, in `traffic`
};

/// Further paths of a Surface, behind its checks of Host, Origin and tokens. [the connection's
/// loop]
class MoreRoutes {
 public:
  virtual ~MoreRoutes() = default;
  /// Label "route" of all its paths in metrics.
  [[nodiscard]] virtual std::string label() const = 0;
  [[nodiscard]] virtual bool serves(std::string_view path) const = 0;
  /// True if only requests with a valid token reach handle.
  [[nodiscard]] virtual bool needs_token(std::string_view path) const = 0;
  /// A response if the request is refused for every sender; its body has not arrived.
  [[nodiscard]] virtual std::optional<http_server::Response> refuse_early(
      const http_server::Request& head) const = 0;
  /// Answers a request that was read; `admission` is null if its path needs no token. The request
  /// is counted among those of its token already.
  using Answer = std::function<void(const Admission* admission, Arrival arrival)>;
  /// Copies what the answer needs of a request that was not refused.
  virtual Answer read(const http_server::Request& request) = 0;
};

}  // namespace quarry::mcp
