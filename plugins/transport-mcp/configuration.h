#pragma once

#include "engine_client/failure.h"
#include "http_server/address.h"
#include "http_server/options.h"
#include "http_server/policy.h"
#include "http_server/tls.h"

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// [transport.mcp] of the configuration.
struct Configuration {
  std::vector<http_server::Address> listen;
  unsigned threads = 1;
  http_server::AccessPolicy policy;
  http_server::Limits limits;
  http_server::TlsFiles tls;                 // empty: plain HTTP
  std::vector<std::string> trusted_proxies;  // IP addresses that speak TLS for us
  bool sessions = false;                     // given out to clients of the legacy era
  bool insecure = false;                     // may listen wider than loopback without TLS
  std::chrono::milliseconds longest_call{30 * 60'000};

  /// Whether some address can be reached from other machines.
  [[nodiscard]] bool is_exposed() const;
  [[nodiscard]] bool has_tls() const { return !tls.certificate.empty(); }
};

/// Reads and checks the JSON given to create. A failure names the field.
[[nodiscard]] std::expected<Configuration, engine_client::Failure> read_configuration(
    std::string_view json);

}  // namespace quarry::transport_mcp
