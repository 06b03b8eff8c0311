#include "transport.h"

#include "engine_client/listening.h"
#include "engine_client/settings.h"

#include <quarry/log.h>
#include <quarry/metrics.h>
#include <quarry/work.h>

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::EngineCalls;
using engine_client::Failure;
using engine_client::Outcome;
using http_server::Response;
using mcp::Json;

void answer_readiness(EngineCalls& calls, mcp::SurfaceOptions::Send send) {
  calls.call("health", "{}", [send = std::move(send)](const Outcome& outcome) {
    const Json health = outcome ? Json::parse(*outcome, nullptr, false) : Json();
    const bool is_ready = health.is_object() && health.value("ready", false);
    send(is_ready ? Response::json(R"({"ok":true})")
                  : mcp::plain_error(503, "questions cannot be asked yet"));
  });
}

void answer_metrics(EngineCalls& calls, mcp::SurfaceOptions::Send send) {
  calls.call("metrics", "{}", [send = std::move(send)](const Outcome& outcome) {
    if (!outcome) return send(mcp::plain_error(500, outcome.error().message));
    Response response =
        Response::json(mcp::find_string(Json::parse(*outcome, nullptr, false), "text"));
    response.content_type = "text/plain; version=0.0.4";
    send(std::move(response));
  });
}

}  // namespace

Transport::Transport(Host host, Configuration configuration, std::string version)
    : host_(host), configuration_(std::move(configuration)), version_(std::move(version)) {}

std::expected<std::unique_ptr<Transport>, Failure> Transport::create(Host host, const quarry::Call&,
                                                                     std::string_view configuration,
                                                                     std::string version) {
  auto read = read_configuration(configuration);
  if (!read) return std::unexpected(std::move(read.error()));
  auto tls = engine_client::read_identity(*read);
  if (!tls) return std::unexpected(std::move(tls.error()));
  if (read->is_exposed() && read->insecure && !*tls) {
    host.log(QUARRY_LOG_WARNING,
             "INSECURE: the MCP surface listens beyond this machine without TLS. Anyone on the "
             "network path can read tokens, questions and answers.");
  }
  std::unique_ptr<Transport> made(new Transport(host, std::move(*read), std::move(version)));
  made->tls_ = std::move(*tls);
  return made;
}

http_server::ServerOptions Transport::server_options() const {
  http_server::ServerOptions options;
  options.listen = configuration_.listen;
  options.threads = configuration_.threads;
  options.name = "mcp";
  options.limits = configuration_.limits;
  options.tls = tls_;
  options.names_peers = true;
  options.proxies = configuration_.trusted_proxies;
  return options;
}

mcp::SurfaceOptions Transport::surface_options() {
  mcp::SurfaceOptions options;
  options.policy = configuration_.policy;
  options.sessions = configuration_.sessions;
  if (!tls_) options.proxies = configuration_.trusted_proxies;
  options.longest = configuration_.longest_call;
  options.metrics = host_.service<quarry_metrics_v1>(QUARRY_METRICS);
  options.log = host_.service<quarry_log_v1>(QUARRY_LOG);
  options.more = page_.get();
  using Send = mcp::SurfaceOptions::Send;
  options.ready = [this](Send send) { answer_readiness(*calls_, std::move(send)); };
  options.show_metrics = [this](Send send) { answer_metrics(*calls_, std::move(send)); };
  return options;
}

std::expected<std::string, Failure> Transport::start(const quarry_engine& engine) {
  const auto* const work = host_.service<quarry_work_v1>(QUARRY_WORK);
  if (work == nullptr) {
    return std::unexpected(Failure{QUARRY_UNSUPPORTED, {}, "this host offers no threads", {}, {}});
  }
  calls_ = std::make_unique<EngineCalls>(engine);
  catalogue_ = std::make_unique<Catalogue>(*calls_, version_);
  access_ = std::make_unique<EngineAccess>(*calls_);
  if (configuration_.page) page_ = std::make_unique<PageRoutes>(*calls_, *access_, version_);
  surface_ = std::make_unique<mcp::Surface>(*catalogue_, *access_, surface_options());
  server_ = std::make_unique<http_server::Server>(*work, host_.service<quarry_log_v1>(QUARRY_LOG),
                                                  *surface_, server_options());
  auto value = engine_client::start_listening(*server_, "mcp");
  if (!value) server_.reset();
  return value;
}

void Transport::stop(std::chrono::milliseconds grace) {
  if (!server_) return;
  server_->stop(grace);
  surface_->end_all();
  if (!calls_->wait_until_idle(engine_client::kRepliesGrace)) {
    // Late replies use all of this: the host destroys it after them.
    return host_.log(QUARRY_LOG_WARNING, "the engine holds unanswered calls after stop");
  }
  server_.reset();
  surface_.reset();
}

}  // namespace quarry::transport_mcp
