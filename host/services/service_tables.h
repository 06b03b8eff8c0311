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

/// What a manifest permits its plugin.
struct Permissions {
  std::vector<std::string> hosts;
  std::vector<std::string> programs;
  std::vector<std::string> secrets;
  bool models = false;  ///< it provides models: their endpoints and secrets "model.…" are permitted
  /// It is a type of resource: secrets "resource.…" are permitted, and those "project.…" of whose
  /// unguessable names it was told one in a resource.
  bool resources = false;
};

/// The host's services. Each must outlive every table made of it.
struct Services {
  const Clock& clock;
  Log& log;
  Metrics& metrics;
  Paths& paths;
  const ProcessRunner& processes;
  SecretStore& secrets;
  WorkerPool& workers;
  HttpClient* http = nullptr;                      ///< none: the host offers no HTTP
  MinimumSpeed minimum_fetch_speed = kFetchFloor;  ///< of requests that types of resources send
};

/// The services as one plugin sees them through the C contract. Nothing throws across.
class ServiceTables {
 public:
  ServiceTables(std::string plugin, Permissions permissions, Services services);
  ~ServiceTables();

  /// The table of a service by its id (QUARRY_LOG, …), valid as long as this object; nullptr when
  /// there is none or the manifest permits nothing of it. [any thread]
  [[nodiscard]] const void* find(std::string_view id) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace quarry::services
