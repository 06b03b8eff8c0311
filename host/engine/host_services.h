#pragma once

#include "ask/client_transfers.h"
#include "ask/wake_queue.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/retrieval_expenses.h"
#include "engine/traces.h"
#include "plugins/call_threads.h"
#include "plugins/store.h"
#include "services/egress_policy.h"
#include "services/http_client.h"
#include "services/io_thread.h"
#include "services/log.h"
#include "services/log_scope.h"
#include "services/metrics.h"
#include "services/paths.h"
#include "services/process.h"
#include "services/redactor.h"
#include "services/secrets.h"
#include "services/serial_thread.h"
#include "services/service_tables.h"
#include "services/workers.h"

#include <memory>

#include <boost/asio/io_context.hpp>

namespace quarry::engine {

struct HostServices;

/// Closes the services, and destroys them unless a call into a plugin still uses them: then it says
/// so in the log, and the process must end by _exit (plugins::abandoned_calls).
struct EndServices {
  void operator()(HostServices* services) const;
};
using HostServicesPointer = std::unique_ptr<HostServices, EndServices>;

/// Services, workers and the store, which live as long as the engine and across reloads of
/// configuration and plugins. Members are destroyed from the last to the first.
struct HostServices {
  SystemClock clock;
  services::Redactor redactor;
  services::Log log;
  services::Metrics metrics;
  services::Paths paths;
  services::ProcessRunner processes;
  services::SecretStore secrets;
  boost::asio::io_context io{1};  ///< run by one thread, which must end before this is destroyed
  services::IoThread io_thread{io};
  ask::WakeQueue wakes{io};
  services::WorkerPool workers;
  /// The same, for work that is done for a question or a call: its lines name that.
  services::LogScopeExecutor scoped_workers{workers};
  services::EgressPolicy egress;
  services::HttpClient http;
  ask::ClientTransfers transfers;
  Traces traces;
  RetrievalExpenses retrieval_expenses{clock};
  /// Destroys components and plugins that are used no more, so that none of them blocks another
  /// thread.
  services::SerialThread retirement{"quarry-retire"};
  /// Calls into plugins of this process that have not returned.
  std::shared_ptr<plugins::AbandonedCalls> abandoned =
      std::make_shared<plugins::AbandonedCalls>([this](const auto& row) {
        static_cast<void>(
            metrics.count("plugin_calls_given_up_total", services::metric_label("id", row.plugin)));
        log.warning("host", "plugin " + row.plugin + " does not return from " +
                                std::string(row.function) + ": the call is given up");
      });
  std::shared_ptr<plugins::Store> store = {};  ///< null if no callers with tokens are served

  /// `serves`: see Options.
  HostServices(const config::Config& config, services::Paths::Roots roots,
               services::EgressPolicy policy, bool serves = false);
  /// Calls close().
  ~HostServices();
  /// Closes the store, and waits until the plugins that are used no more are destroyed. Idempotent.
  void close();
  /// close(), then says in the log which calls into plugins have not returned; false if there are
  /// any, which may use the services.
  [[nodiscard]] bool end();
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;
  /// Creates the directories, removes files left by a crash.
  static Result<HostServicesPointer> create(const config::Config& config, const Options& options);
};

/// Directories of cache and state: from the configuration, else the user's. ConfigError if the
/// environment names none.
Result<services::Paths::Roots> roots_of(const config::Config& config);

services::SecretSource secret_source(const config::SecretReference& reference);
/// Sources of the configured secrets.
std::map<std::string, services::SecretSource> secret_sources(const config::Config& config);

}  // namespace quarry::engine
