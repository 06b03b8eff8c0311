#pragma once

#include "engine_client/settings.h"

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// [transport.mcp] of the configuration. `insecure`: allows listening beyond loopback without TLS.
struct Configuration : engine_client::ServerSettings {
  std::vector<std::string> trusted_proxies;  // IP addresses of proxies that terminate TLS
  bool sessions = false;                     // creates sessions for clients of the legacy era
  bool page = false;                         // serves the page at /ui/
  std::chrono::milliseconds longest_call{30 * 60'000};
};

/// Parses and validates the JSON passed to create. A failure names the field.
[[nodiscard]] std::expected<Configuration, engine_client::Failure> read_configuration(
    std::string_view json);

}  // namespace quarry::transport_mcp
