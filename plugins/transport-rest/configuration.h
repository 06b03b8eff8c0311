#pragma once

#include "engine_client/settings.h"
#include "failure.h"

#include <expected>
#include <string>
#include <string_view>

namespace quarry::rest {

/// [transport.rest] of the configuration. `insecure`: allows listening beyond loopback without a
/// token.
struct Configuration : engine_client::ServerSettings {
  std::string auth_token;  // the name of a secret; empty = no token required
};

/// Parses and validates the JSON passed to create. A failure names the field.
[[nodiscard]] std::expected<Configuration, Failure> read_configuration(std::string_view json);

}  // namespace quarry::rest
