#include "configuration.h"

#include "engine_client/settings.h"

#include <utility>

namespace quarry::transport_mcp {

std::expected<Configuration, engine_client::Failure> read_configuration(std::string_view text) {
  engine_client::Settings settings(text);
  Configuration configuration;
  settings.server(configuration, "mcp", "127.0.0.1:8081");
  settings.strings("trusted_proxies", configuration.trusted_proxies);
  settings.flag("sessions", configuration.sessions);
  settings.flag("page", configuration.page);
  settings.milliseconds("max_call_ms", configuration.longest_call);
  for (std::string& proxy : configuration.trusted_proxies) {
    if (!http_server::is_ip_literal(proxy) && !http_server::is_ip_literal("[" + proxy + "]")) {
      settings.fail("trusted_proxies", "\"" + proxy + "\" is not an IP address");
    }
    proxy = http_server::canonical_ip(proxy);
  }
  if (configuration.is_exposed() && !configuration.has_tls() &&
      configuration.trusted_proxies.empty() && !configuration.insecure) {
    settings.fail("listen", "is an address that other machines can reach, which needs TLS",
                  "Set tls to a certificate and a key, listen on 127.0.0.1, name the proxies that "
                  "terminate TLS for this server in "
                  "trusted_proxies, or, if something else protects the port, insecure = true.");
  }
  if (auto failure = settings.finish()) return std::unexpected(std::move(*failure));
  return configuration;
}

}  // namespace quarry::transport_mcp
