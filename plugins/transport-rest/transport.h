#pragma once

#include "configuration.h"
#include "surface.h"

#include <quarry/host.hpp>
#include <quarry/transport.h>
#include <quarry/work.h>

#include <chrono>
#include <expected>
#include <memory>
#include <string>

namespace quarry::rest {

/// The component "rest": a configuration and, between start and stop, a server.
class Transport {
 public:
  /// Reads the configuration, the token and the certificate; logs a warning about insecure
  /// settings. `version` is shown by GET /.
  static std::expected<std::unique_ptr<Transport>, Failure> create(Host host, const Call& call,
                                                                   std::string_view configuration,
                                                                   std::string version);

  /// The value names the listening addresses. [control]
  std::expected<std::string, Failure> start(const quarry_engine& engine);
  void stop(std::chrono::milliseconds grace);

 private:
  Transport(Host host, Configuration configuration, std::string version);

  std::expected<void, Failure> fetch_token(const Call& call);

  Host host_;
  Configuration configuration_;
  std::string version_;
  std::string token_;
  std::shared_ptr<http_server::TlsIdentity> tls_;  // null: plain HTTP
  std::unique_ptr<engine_client::EngineCalls> calls_;
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace quarry::rest
