#pragma once

#include "base/clock.h"
#include "services/http_client.h"
#include "services/log.h"
#include "services/metrics.h"
#include "services/paths.h"
#include "services/process.h"
#include "services/secrets.h"
#include "services/workers.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Permissions that a manifest grants its plugin.
struct Permissions {
  std::vector<std::string> hosts = {};  ///< more may be named in a call (CallRights)
  std::vector<std::string> programs = {};
  std::vector<std::string> secrets = {};  ///< names; more may be readable in a call
  bool models = false;                    ///< provides models: their endpoints are permitted
  bool resources = false;                 ///< provides a resource type
  bool calls_name_hosts = false;          ///< its fields may name hosts: it gets the HTTP service
};

/// Services of the host. Each must outlive every table made from it.
struct Services {
  const Clock& clock;
  Log& log;
  Metrics& metrics;
  Paths& paths;
  const ProcessRunner& processes;
  SecretStore& secrets;
  WorkerPool& workers;
  HttpClient* http = nullptr;                             ///< null: the host offers no HTTP
  MinimumSpeed minimum_fetch_speed = kMinimumFetchSpeed;  ///< for requests of resource types
};

/// C tables of the services for one plugin. No exception crosses the boundary.
class ServiceTables {
 public:
  ServiceTables(std::string plugin, Permissions permissions, Services services);
  ~ServiceTables();

  /// The table of a service by its id (QUARRY_LOG, …), valid for the lifetime of this object;
  /// nullptr if there is none or the manifest permits none of it. [any thread]
  [[nodiscard]] const void* find(std::string_view id) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace quarry::services
