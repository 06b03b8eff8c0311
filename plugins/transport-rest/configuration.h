#pragma once

#include "failure.h"
#include "http_server/address.h"
#include "http_server/options.h"
#include "http_server/policy.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::rest {

/// [transport.rest] of the configuration.
struct Configuration {
  std::vector<http_server::Address> listen;
  unsigned threads = 1;
  http_server::AccessPolicy policy;
  http_server::Limits limits;
  std::string auth_token;  // the name of a secret; empty = no token asked for
  bool insecure = false;   // may listen wider than loopback without a token

  /// Whether some address can be reached from other machines.
  [[nodiscard]] bool is_exposed() const;
};

/// Reads and checks the JSON given to create. A failure names the field.
[[nodiscard]] std::expected<Configuration, Failure> read_configuration(std::string_view json);

}  // namespace quarry::rest
