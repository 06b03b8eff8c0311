#pragma once

#include "catalogue.h"
#include "configuration.h"
#include "engine_access.h"
#include "mcp_server/surface.h"
#include "page_routes.h"

#include <quarry/host.hpp>
#include <quarry/transport.h>

#include <chrono>
#include <expected>
#include <memory>
#include <string>

namespace quarry::transport_mcp {

/// The component "mcp": a configuration and, between start and stop, a server.
class Transport {
 public:
  /// Reads the configuration; logs a warning about insecure settings. `version` is the host's.
  static std::expected<std::unique_ptr<Transport>, engine_client::Failure> create(
      Host host, const quarry::Call&, std::string_view configuration, std::string version);

  /// The value names the listening addresses. [control]
  std::expected<std::string, engine_client::Failure> start(const quarry_engine& engine);
  void stop(std::chrono::milliseconds grace);

 private:
  Transport(Host host, Configuration configuration, std::string version);
  [[nodiscard]] mcp::SurfaceOptions surface_options();
  [[nodiscard]] http_server::ServerOptions server_options() const;

  Host host_;
  Configuration configuration_;
  std::string version_;
  std::shared_ptr<http_server::TlsIdentity> tls_;
  std::unique_ptr<engine_client::EngineCalls> calls_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<EngineAccess> access_;
  std::unique_ptr<PageRoutes> page_;
  std::unique_ptr<mcp::Surface> surface_;
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace quarry::transport_mcp
