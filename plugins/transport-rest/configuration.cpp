#include "configuration.h"

#include "engine_client/settings.h"

#include <utility>

namespace quarry::rest {

std::expected<Configuration, Failure> read_configuration(std::string_view text) {
  engine_client::Settings settings(text);
  Configuration configuration;
  settings.server(configuration, "rest", "127.0.0.1:8080");
  settings.string("auth_token", configuration.auth_token);
  if (configuration.is_exposed() && configuration.auth_token.empty() && !configuration.insecure) {
    settings.fail("listen", "is an address that other machines can reach, which needs a token",
                  "Listen on 127.0.0.1, or set auth_token = { env = \"QUARRY_TOKEN\" }, or, if "
                  "something else protects the port, insecure = true.");
  }
  if (auto failure = settings.finish()) return std::unexpected(std::move(*failure));
  return configuration;
}

}  // namespace quarry::rest
