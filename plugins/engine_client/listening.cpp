#include "listening.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine_client {

std::expected<std::shared_ptr<http_server::TlsIdentity>, Failure> read_identity(
    const ServerSettings& settings) {
  if (!settings.has_tls()) return nullptr;
  auto identity = http_server::TlsIdentity::load(settings.tls);
  if (identity) return std::move(*identity);
  return std::unexpected(setting_failure("tls", identity.failure().message,
                                         "Name PEM files that this program may read."));
}

std::expected<std::string, Failure> start_listening(http_server::Server& server,
                                                    std::string_view name) {
  if (std::string problem = server.start(); !problem.empty()) {
    return std::unexpected(Failure{QUARRY_UNAVAILABLE,
                                   "ConfigError",
                                   std::move(problem),
                                   "Stop the other program, or set another address in listen of "
                                   "[transport." +
                                       std::string(name) + "].",
                                   {}});
  }
  nlohmann::json value{{"listening", nlohmann::json::array()}};
  for (const auto& address : server.addresses()) value["listening"].push_back(address.url());
  return value.dump();
}

}  // namespace quarry::engine_client
