#pragma once

#include "base/error.h"
#include "config/config.h"
#include "services/endpoint.h"
#include "services/http_client.h"

#include <memory>
#include <vector>

namespace quarry::cli {

/// An HTTP client with its own I/O thread, for verbs that need no engine.
class WebSession {
 public:
  /// Reaches public addresses, those of `[network] private_hosts`, and `endpoints` at any address.
  static Result<std::unique_ptr<WebSession>> start(const config::Config& config,
                                                   std::vector<services::Endpoint> endpoints);
  ~WebSession();
  WebSession(const WebSession&) = delete;
  WebSession& operator=(const WebSession&) = delete;

  [[nodiscard]] services::HttpClient& client();

 private:
  struct Parts;
  explicit WebSession(services::EgressPolicy policy);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace quarry::cli
