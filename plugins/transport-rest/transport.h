#pragma once

#include "configuration.h"
#include "surface.h"

#include <quarry/secrets.h>
#include <quarry/transport.h>
#include <quarry/work.h>

#include <chrono>
#include <expected>
#include <memory>
#include <string>

namespace quarry::rest {

/// The component: a configuration, and between start and stop a server.
class Transport {
 public:
  /// Reads the configuration and the token; warns of what the operator should know.
  static std::expected<std::unique_ptr<Transport>, Failure> create(const quarry_host& host,
                                                                   std::string_view configuration);

  /// The value says where it listens. [control]
  std::expected<std::string, Failure> start(const quarry_engine& engine);
  void stop(std::chrono::milliseconds grace);

 private:
  Transport(const quarry_host& host, Configuration configuration);

  std::expected<void, Failure> fetch_token(const quarry_host& host);
  void warn(std::string_view message) const;

  Configuration configuration_;
  const quarry_work_v1* work_;
  const quarry_log_v1* log_;
  std::string version_;
  std::string token_;
  std::unique_ptr<EngineCalls> calls_;
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<http_server::Server> server_;
};

}  // namespace quarry::rest
