#include "engine/host_services.h"

#include "services/group_guard.h"

#include <cstdlib>
#include <unistd.h>

namespace quarry::engine {
namespace {

services::Level level_of(const std::string& name) {
  if (name == "debug") return services::Level::kDebug;
  if (name == "warning") return services::Level::kWarning;
  if (name == "error") return services::Level::kError;
  return services::Level::kInfo;
}

services::LogFormat format_of(const std::string& name, bool serves) {
  if (name == "text") return services::LogFormat::kText;
  if (name == "json") return services::LogFormat::kJson;
  if (name == "journal") return services::LogFormat::kJournal;
  return services::format_for(STDERR_FILENO, std::getenv("JOURNAL_STREAM"), serves);
}

/// As the options name them, else by the configuration.
Result<services::Paths::Roots> roots_of(const config::Config& config, const Options& options) {
  auto roots = engine::roots_of(config);
  if (!roots) return roots;
  if (!options.cache_directory.empty()) roots->cache = options.cache_directory;
  if (!options.state_directory.empty()) roots->state = options.state_directory;
  return roots;
}

}  // namespace

Result<services::Paths::Roots> roots_of(const config::Config& config) {
  auto roots = services::Paths::roots();
  if (!roots) return std::move(roots).error().tagged("ConfigError");
  if (!config.cache.directory.empty()) roots->cache = config.cache.directory;
  return roots;
}

services::SecretSource secret_source(const config::SecretReference& reference) {
  return {static_cast<services::SecretSource::From>(reference.from), reference.what};
}

std::map<std::string, services::SecretSource> secret_sources(const config::Config& config) {
  std::map<std::string, services::SecretSource> out;
  for (const auto& [name, reference] : config.secrets) {
    out[name] = secret_source(reference);
  }
  return out;
}

HostServices::HostServices(const config::Config& config, services::Paths::Roots roots,
                           services::EgressPolicy policy, bool serves)
    : log({.level = level_of(config.log_level), .format = format_of(config.log_format, serves)},
          redactor),
      paths(std::move(roots)),
      processes(services::ProcessRunner::of_environment()),
      secrets(
          secret_sources(config), [](const char* name) { return std::getenv(name); }, processes,
          redactor),
      egress(policy),
      http({io, workers, egress, secrets, redactor},
           [](const char* name) { return std::getenv(name); }),
      transfers(http, {.decoded = true, .to_models = true}),
      traces(config.traces, {io, http, clock, metrics, log}, redactor) {}

HostServices::~HostServices() {
  close();
}

void HostServices::close() {
  store.reset();
  retirement.close();
}

bool HostServices::end() {
  close();
  const auto rows = abandoned->rows();
  for (const auto& row : rows) {
    log.error("host", "plugin " + row.plugin + " has not returned from " +
                          std::string(row.function) + ": the host ends without it");
  }
  return rows.empty();
}

void EndServices::operator()(HostServices* services) const {
  // What a plugin still uses lives until the process ends.
  if (services->end()) delete services;
}

Result<HostServicesPointer> HostServices::create(const config::Config& config,
                                                 const Options& options) {
  auto roots = roots_of(config, options);
  if (!roots) return std::move(roots).error();
  auto egress = services::EgressPolicy::make(config.private_hosts);
  if (!egress) return std::move(egress).error().tagged("ConfigError");
  if (options.transports) services::start_group_guard();
  HostServicesPointer host_services(
      new HostServices(config, std::move(*roots), *egress, options.serves));
  const auto cache = host_services->paths.cache();
  if (!cache) return Error(cache.error()).tagged("ConfigError");
  const auto state = host_services->paths.state();
  if (!state) return Error(state.error()).tagged("ConfigError");
  if (const auto swept = host_services->paths.sweep(); !swept) {
    host_services->log.warning("host", swept.error().message);
  }
  return host_services;
}

}  // namespace quarry::engine
