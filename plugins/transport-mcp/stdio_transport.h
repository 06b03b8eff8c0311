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

/// The component "stdio": one client on standard input and output, who acts as the owner. When it
/// has no more to say, the host ends.
class StdioTransport {
 public:
  static std::expected<std::unique_ptr<StdioTransport>, engine_client::Failure> create(
      Host host, std::string_view configuration, std::string version);
  /// The same with other descriptors, for tests.
  StdioTransport(Host host, std::string version, mcp::StdioOptions options);

  /// The value has nothing to connect to. [control]
  std::expected<std::string, engine_client::Failure> start(const quarry_engine& engine);
  /// The grace is for answers whose clients wait elsewhere; this one hears nothing more.
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
