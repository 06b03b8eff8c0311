#pragma once

#include "services/http_client.h"

#include <memory>
#include <string>

namespace quarry::cli {

/// An HTTP client with its dependencies. The user named the server, so every address is permitted.
class RemoteClient {
 public:
  RemoteClient();
  /// No callback follows.
  ~RemoteClient();

  services::HttpClient& get();
  services::HttpClient* operator->() { return &get(); }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Bearer token for requests to servers: QUARRY_TOKEN of the environment; may be empty.
std::string token_for_servers();

}  // namespace quarry::cli
