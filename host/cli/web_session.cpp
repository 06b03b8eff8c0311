#include "cli/web_session.h"

#include "base/executor.h"
#include "services/process.h"
#include "services/redactor.h"
#include "services/workers.h"

#include <cstdlib>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::cli {

/// Members are destroyed from the last to the first.
struct WebSession::Parts {
  using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  explicit Parts(const services::EgressPolicy& allowed) : policy(allowed) {}

  static const char* variable(const char* name) { return std::getenv(name); }

  services::EgressPolicy policy;
  services::Redactor redactor;
  services::ProcessRunner processes = services::ProcessRunner::of_environment();
  services::SecretStore secrets{{}, variable, processes, redactor};
  boost::asio::io_context io{1};
  InlineExecutor inline_executor;
  services::HttpClient client{{io, inline_executor, policy, secrets, redactor}, variable};
  Guard guard{io.get_executor()};
  services::NamedLoop loop{"quarry-web", [this] { io.run(); }};
};

WebSession::WebSession(services::EgressPolicy policy) : parts_(std::make_unique<Parts>(policy)) {}

WebSession::~WebSession() {
  parts_->io.stop();
}

Result<std::unique_ptr<WebSession>> WebSession::start(const config::Config& config,
                                                      std::vector<services::Endpoint> endpoints) {
  auto policy = services::EgressPolicy::make(config.private_hosts, std::move(endpoints));
  if (!policy) return std::move(policy.error()).tagged("ConfigError");
  return std::make_unique<WebSession>(*policy);
}

services::EgressPolicy WebSession::to_every_host() {
  const std::string all[] = {"*"};
  return *services::EgressPolicy::make(all);
}

services::HttpClient& WebSession::client() {
  return parts_->client;
}

std::string token_for_servers() {
  const char* const token = std::getenv("QUARRY_TOKEN");
  return token == nullptr ? std::string() : token;
}

}  // namespace quarry::cli
