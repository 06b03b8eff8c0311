#pragma once

#include "ask/client_transfers.h"
#include "ask/wake_queue.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/config.h"
#include "engine/engine.h"
#include "plugins/registry.h"
#include "plugins/store.h"
#include "services/egress_policy.h"
#include "services/http_client.h"
#include "services/log.h"
#include "services/metrics.h"
#include "services/paths.h"
#include "services/process.h"
#include "services/redactor.h"
#include "services/secrets.h"
#include "services/workers.h"

#include <memory>

#include <boost/asio/io_context.hpp>

namespace quarry::engine {

/// What stands as long as the engine, whatever is configured: services, workers, loaded plugins.
/// Members are destroyed from the last to the first.
struct HostServices {
  SystemClock clock;
  services::Redactor redactor;
  services::Log log;
  services::Metrics metrics;
  services::Paths paths;
  services::ProcessRunner processes;
  services::SecretStore secrets;
  boost::asio::io_context io{1};  ///< run by one thread, which must have ended before this goes
  ask::WakeQueue wakes{io};
  services::WorkerPool workers;
  services::EgressPolicy egress;
  services::HttpClient http;
  ask::ClientTransfers transfers;
  std::unique_ptr<plugins::Registry> registry;
  std::shared_ptr<plugins::Store> store;  ///< null where nobody comes with a token

  HostServices(const config::Config& config, services::Paths::Roots roots,
               services::EgressPolicy policy);
  /// Makes the directories, sweeps what a crash left, loads the plugins.
  static Result<std::unique_ptr<HostServices>> create(const config::Config& config,
                                                      const Options& options);

 private:
  Status make_store(const config::Config& config);
};

services::SecretSource secret_source(const config::SecretReference& reference);
/// Where the configured secrets come from.
std::map<std::string, services::SecretSource> secret_sources(const config::Config& config);

}  // namespace quarry::engine
