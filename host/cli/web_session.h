#pragma once

#include "base/error.h"
#include "config/config.h"
#include "services/endpoint.h"
#include "services/http_client.h"

#include <memory>
#include <string>
#include <vector>

namespace quarry::cli {

/// An HTTP client with its own I/O thread, for verbs that need no engine. No callback follows its
/// end.
class WebSession {
 public:
  /// Reaches public addresses, those of `[network] private_hosts`, and `endpoints` at any address.
  static Result<std::unique_ptr<WebSession>> start(const config::Config& config,
                                                   std::vector<services::Endpoint> endpoints);
  /// Reaches every address, for a server that the user named.
  explicit WebSession(services::EgressPolicy policy = to_every_host());
  ~WebSession();
  WebSession(const WebSession&) = delete;
  WebSession& operator=(const WebSession&) = delete;

  [[nodiscard]] services::HttpClient& client();

 private:
  struct Parts;
  static services::EgressPolicy to_every_host();
  const std::unique_ptr<Parts> parts_;
};

/// Bearer token for requests to servers: QUARRY_TOKEN of the environment; may be empty.
std::string token_for_servers();

}  // namespace quarry::cli
