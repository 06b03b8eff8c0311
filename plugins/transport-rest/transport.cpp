#include "transport.h"

#include "engine_client/listening.h"
#include "engine_client/settings.h"

#include <quarry/metrics.h>
#include <quarry/secrets.hpp>

#include <cstdint>
#include <utility>

namespace quarry::rest {
Transport::Transport(Host host, Configuration configuration, std::string version)
    : host_(host), configuration_(std::move(configuration)), version_(std::move(version)) {}

std::expected<std::unique_ptr<Transport>, Failure> Transport::create(Host host, const Call& call,
                                                                     std::string_view configuration,
                                                                     std::string version) {
  auto read = read_configuration(configuration);
  if (!read) return std::unexpected(std::move(read.error()));
  std::unique_ptr<Transport> transport(new Transport(host, std::move(*read), std::move(version)));
  if (auto token = transport->fetch_token(call); !token) {
    return std::unexpected(std::move(token.error()));
  }
  auto tls = engine_client::read_identity(transport->configuration_);
  if (!tls) return std::unexpected(std::move(tls.error()));
  transport->tls_ = std::move(*tls);
  if (transport->configuration_.is_exposed() && transport->token_.empty()) {
    host.log(
        QUARRY_LOG_WARNING,
        "INSECURE: the REST surface listens beyond this machine without a token. Anyone who can "
        "connect to the port can read every resource, add local folders and spend money.");
  } else if (transport->configuration_.is_exposed() && !transport->tls_) {
    host.log(QUARRY_LOG_WARNING,
             "the REST surface listens beyond this machine without TLS: anyone on the network path "
             "can read its token, unless a proxy encrypts it; set tls of [transport.rest]");
  }
  return transport;
}

std::expected<void, Failure> Transport::fetch_token(const Call& call) {
  if (configuration_.auth_token.empty()) return {};
  auto value = secret(host_, call, configuration_.auth_token);
  if (!value || value->empty()) {
    const std::string why = value ? "it is empty" : value.failure().message;
    return std::unexpected(engine_client::setting_failure(
        "auth_token",
        "names the secret " + configuration_.auth_token + ", which cannot be read: " + why,
        "Set it, or name another secret."));
  }
  token_ = std::move(*value);
  return {};
}

std::expected<std::string, Failure> Transport::start(const quarry_engine& engine) {
  const auto* const work = host_.service<quarry_work_v1>(QUARRY_WORK);
  if (work == nullptr) {
    return std::unexpected(Failure{QUARRY_UNSUPPORTED, {}, "this host offers no threads", {}, {}});
  }
  calls_ = std::make_unique<engine_client::EngineCalls>(engine);
  surface_ = std::make_unique<Surface>(
      *calls_, SurfaceOptions{configuration_.policy,
                              token_,
                              version_,
                              {},
                              host_.service<quarry_metrics_v1>(QUARRY_METRICS),
                              host_.service<quarry_log_v1>(QUARRY_LOG)});
  server_ = std::make_unique<http_server::Server>(
      *work, host_.service<quarry_log_v1>(QUARRY_LOG), *surface_,
      http_server::ServerOptions{configuration_.listen, configuration_.threads, "rest",
                                 configuration_.limits, tls_});
  auto value = engine_client::start_listening(*server_, "rest");
  if (!value) server_.reset();
  return value;
}

void Transport::stop(std::chrono::milliseconds grace) {
  if (!server_) return;
  server_->stop(grace);
  if (!calls_->wait_until_idle(engine_client::kRepliesGrace)) {
    // Late replies use all of this: the host destroys it after them.
    return host_.log(QUARRY_LOG_WARNING, "the engine holds unanswered calls after stop");
  }
  server_.reset();
  surface_.reset();
}

}  // namespace quarry::rest
