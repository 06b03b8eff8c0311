#pragma once

#include "plugins/web_files.h"
#include "services/http_client.h"

namespace quarry::plugins {

/// Files over the host's HTTP client. Each redirect is checked (resolve_url) before it is followed.
/// Endpoints of the client's policy are reached at any address.
class HttpFiles final : public WebFiles {
 public:
  /// `client` must outlive it.
  explicit HttpFiles(services::HttpClient& client) : client_(client) {}

  Result<WebResponse> get(const services::Call& call, const WebRequest& request,
                          const Write& write) override;

 private:
  services::HttpClient& client_;
};

}  // namespace quarry::plugins
