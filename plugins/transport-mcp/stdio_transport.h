#pragma once

#include "catalogue.h"
#include "mcp_server/stdio_session.h"

#include <quarry/host.hpp>
#include <quarry/transport.h>
#include <quarry/work.h>

#include <atomic>
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::transport_mcp {

/// The component "stdio": one client on standard input and output, which acts as the owner. The
/// host ends after the client has ended its input.
class StdioTransport {
 public:
  static std::expected<std::unique_ptr<StdioTransport>, engine_client::Failure> create(
      Host host, const quarry::Call&, std::string_view configuration, std::string version);
  /// With other descriptors, for tests.
  StdioTransport(Host host, std::string version, mcp::StdioOptions options);

  /// The value names no address. [control]
  std::expected<std::string, engine_client::Failure> start(const quarry_engine& engine);
  /// Ends the session at once, since the client gets no further output; `grace` is ignored.
  void stop(std::chrono::milliseconds grace);

 private:
  void serve();

  Host host_;
  std::string version_;
  mcp::StdioOptions options_;
  std::unique_ptr<engine_client::EngineCalls> calls_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<mcp::StdioSession> session_;
  quarry_loop* loop_ = nullptr;
  std::atomic<bool> stopping_{false};
};

}  // namespace quarry::transport_mcp
