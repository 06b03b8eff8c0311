#include "engine/host_services.h"

#include "engine/wanted_plugins.h"
#include "runner/child.h"
#include "runner/isolate.h"
#include "runner/strikes.h"

#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/resource.h>

#include <algorithm>
#include <cstdlib>

namespace quarry::engine {
namespace {

services::Level level_of(const std::string& name) {
  if (name == "debug") return services::Level::kDebug;
  if (name == "warning") return services::Level::kWarning;
  if (name == "error") return services::Level::kError;
  return services::Level::kInfo;
}

/// Directories of cache and state: from the options, else the configuration, else the user's.
Result<services::Paths::Roots> roots_of(const config::Config& config, const Options& options) {
  auto roots = services::Paths::roots([](const char* name) { return std::getenv(name); });
  if (!roots) return std::move(roots).error().tagged("ConfigError");
  if (!config.cache.directory.empty()) roots->cache = config.cache.directory;
  if (!options.cache_directory.empty()) roots->cache = options.cache_directory;
  if (!options.state_directory.empty()) roots->state = options.state_directory;
  return roots;
}

plugins::MakeServices service_tables(HostServices& host_services) {
  return [&host_services](const plugins::Manifest& manifest) -> plugins::FindService {
    auto tables = std::make_shared<services::ServiceTables>(
        manifest.id, permissions_of(manifest),
        services::Services{host_services.clock, host_services.log, host_services.metrics,
                           host_services.paths, host_services.processes, host_services.secrets,
                           host_services.workers, &host_services.http});
    return [tables](std::string_view id) { return tables->find(id); };
  };
}

}  // namespace

services::Permissions permissions_of(const plugins::Manifest& manifest) {
  const auto& allowed = manifest.permissions;
  const auto offers = [&](std::string_view kind) {
    return std::ranges::any_of(manifest.components,
                               [&](const auto& component) { return component.kind == kind; });
  };
  return {.hosts = allowed.hosts,
          .programs = allowed.programs,
          .secrets = allowed.secrets,
          .models = offers(QUARRY_MODEL),
          .resources = offers(QUARRY_RESOURCE),
          .calls_name_hosts = !allowed.host_fields.empty()};
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
                           services::EgressPolicy policy)
    : log({.level = level_of(config.log_level)}, redactor),
      paths(std::move(roots)),
      processes(services::ProcessRunner::of_environment()),
      secrets(
          secret_sources(config), [](const char* name) { return std::getenv(name); }, processes,
          redactor),
      egress(policy),
      http({io, workers, egress, secrets, redactor},
           [](const char* name) { return std::getenv(name); }),
      transfers(http, {.to_models = true}) {}

Result<std::unique_ptr<HostServices>> HostServices::create(const config::Config& config,
                                                           const Options& options) {
  auto roots = roots_of(config, options);
  if (!roots) return std::move(roots).error();
  auto egress = services::EgressPolicy::make(config.private_hosts);
  if (!egress) return std::move(egress).error().tagged("ConfigError");
  auto host_services =
      std::make_unique<HostServices>(config, std::move(*roots), std::move(*egress));
  const auto cache = host_services->paths.cache();
  if (!cache) return Error(cache.error()).tagged("ConfigError");
  const auto state = host_services->paths.state();
  if (!state) return Error(state.error()).tagged("ConfigError");
  if (const auto swept = host_services->paths.sweep(); !swept) {
    host_services->log.warning("host", swept.error().message);
  }
  plugins::RegistryOptions registry{
      .directories = options.plugin_directories,
      .own_directories = options.plugin_directories.size(),
      .installed_directory = options.installed_plugins,
      .drafts = config.plugins.drafts,
      .probed_list = *state / "probed-plugins",
      .probe_command = {},
      .disabled = config.plugins.disabled,
      .wanted =
          [&](const auto& manifest, const auto& found) {
            return is_wanted(config, manifest, options.store || serves_tokens(config, found));
          },
      .pinned = config.plugins.pinned,
      .host_version = QUARRY_VERSION,
      .services = service_tables(*host_services),
      .isolation = config.plugins.isolation};
  if (!options.installed_plugins.empty()) {
    registry.directories.push_back(options.installed_plugins);
  }
  registry.directories.insert(registry.directories.end(), config.plugins.path.begin(),
                              config.plugins.path.end());
  if (!options.program.empty()) {
    registry.probe_command = {options.program.string(), "plugins", "probe"};
    const runner::RunnerOptions runners{.command = {options.program.string(), runner::kRunPlugin},
                                        .clock = &host_services->clock,
                                        .quarantined_list = *state / runner::kQuarantinedList};
    registry.isolate = [runners](const auto& manifest) {
      return runner::isolate(manifest, runners);
    };
  }
  host_services->registry = plugins::Registry::load(std::move(registry));
  if (Status made = host_services->make_store(config); !made) return std::move(made).error();
  return host_services;
}

Status HostServices::make_store(const config::Config& config) {
  const auto& provider = config.store.provider;
  const auto offered = registry->names(QUARRY_STORE);
  if (std::ranges::find(offered, provider) == offered.end()) return {};
  auto made = registry->make_store(provider, config.store.options.json);
  if (!made) {
    return config::at_places(std::move(made).error().in("store " + provider), config.store.options)
        .tagged("ConfigError");
  }
  store = std::move(*made);
  return {};
}

}  // namespace quarry::engine
