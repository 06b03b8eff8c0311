#pragma once

#include "ask/http_transfers.h"
#include "services/http_client.h"

namespace quarry::ask {

/// HttpTransfers over the host's HTTP client. [io]
class ClientTransfers final : public HttpTransfers {
 public:
  /// `client` must outlive it.
  explicit ClientTransfers(services::HttpClient& client, services::HttpOptions options = {})
      : client_(client), options_(std::move(options)) {}

  void send(services::HttpRequest request, std::chrono::milliseconds idle, std::stop_token stop,
            std::shared_ptr<ResponseReceiver> receiver) override;

 private:
  services::HttpClient& client_;
  services::HttpOptions options_;
};

}  // namespace quarry::ask
