#include "configuration.h"

#include "engine_client/settings.h"

#include <algorithm>
#include <utility>

namespace quarry::rest {

bool Configuration::is_exposed() const {
  return !std::ranges::all_of(listen, &http_server::Address::is_loopback);
}

std::expected<Configuration, Failure> read_configuration(std::string_view text) {
  engine_client::Settings settings(text);
  Configuration configuration;
  configuration.listen = settings.listen("127.0.0.1:8080");
  settings.limits(configuration.limits);
  settings.number("threads", configuration.threads, 1, 64);
  settings.strings("allowed_hosts", configuration.policy.allowed_hosts);
  settings.strings("allowed_origins", configuration.policy.allowed_origins);
  settings.string("auth_token", configuration.auth_token);
  settings.flag("insecure", configuration.insecure);
  if (configuration.is_exposed() && configuration.auth_token.empty() && !configuration.insecure) {
    settings.fail("listen", "an address that other machines can reach needs a token",
                  "Listen on 127.0.0.1, or set auth_token to the name of a secret, or, where "
                  "something else guards the port, insecure = true.");
  }
  if (auto failure = settings.finish()) return std::unexpected(std::move(*failure));
  return configuration;
}

}  // namespace quarry::rest
