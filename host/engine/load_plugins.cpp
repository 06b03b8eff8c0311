#include "engine/load_plugins.h"

#include "services/service_tables.h"

#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/resource.h>

#include <algorithm>
#include <utility>

namespace quarry::engine {

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

OnCrash count_crashes(HostServices& host_services) {
  return [&metrics = host_services.metrics](const std::string& plugin) {
    static_cast<void>(metrics.count("plugin_crashes_total", services::metric_label("id", plugin)));
  };
}

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
          .calls_name_hosts = !allowed.host_fields.empty() || !allowed.host_files.empty()};
}

Result<std::shared_ptr<plugins::Registry>> load_plugins(const config::Config& config,
                                                        const Options& options,
                                                        HostServices& host_services,
                                                        Loading loading,
                                                        const plugins::Registry* before) {
  const auto state = host_services.paths.state();
  if (!state) return Error(state.error()).tagged("ConfigError");
  auto registry = registry_options(config, options, *state, host_services.clock,
                                   &host_services.io_thread, count_crashes(host_services));
  if (loading == Loading::kByUse) registry.descriptions = *state / "plugin-descriptions";
  registry.services = service_tables(host_services);
  registry.abandoned = host_services.abandoned;
  registry.retire = [&retirement = host_services.retirement](std::function<void()> job) {
    retirement.post(std::move(job));
  };
  return before == nullptr ? plugins::Registry::load(std::move(registry))
                           : before->reload(std::move(registry));
}

Result<std::shared_ptr<plugins::Store>> make_store(const config::Config& config,
                                                   plugins::Registry& registry) {
  const auto& provider = config.store.provider;
  const auto offered = registry.names(QUARRY_STORE);
  if (std::ranges::find(offered, provider) == offered.end()) return nullptr;
  auto made = registry.make_store(provider, config.store.options.json);
  if (made) return made;
  return config::at_places(std::move(made).error().in("store " + provider), config.store.options)
      .tagged("ConfigError");
}

}  // namespace quarry::engine
