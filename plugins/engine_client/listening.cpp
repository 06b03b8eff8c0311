#include "listening.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine_client {

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
