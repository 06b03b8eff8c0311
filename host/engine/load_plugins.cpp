#include "engine/load_plugins.h"

#include "engine/wanted_plugins.h"
#include "runner/child.h"
#include "runner/isolate.h"
#include "runner/strikes.h"
#include "services/service_tables.h"

#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/resource.h>

#include <algorithm>
#include <utility>

namespace quarry::engine {
namespace {

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

/// How plugins are loaded apart from this program, if it can be run.
void add_program(const Options& options, const std::filesystem::path& state,
                 HostServices& host_services, plugins::RegistryOptions& registry) {
  if (options.program.empty()) return;
  registry.probe_command = {options.program.string(), "plugins", "probe"};
  const runner::RunnerOptions runners{.command = {options.program.string(), runner::kRunPlugin},
                                      .clock = &host_services.clock,
                                      .quarantined_list = state / runner::kQuarantinedList};
  registry.isolate = [runners](const auto& manifest) { return runner::isolate(manifest, runners); };
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

std::vector<std::filesystem::path> plugin_directories(const config::Config& config,
                                                      const Options& options) {
  auto out = options.plugin_directories;
  if (!options.installed_plugins.empty()) out.push_back(options.installed_plugins);
  out.insert(out.end(), config.plugins.path.begin(), config.plugins.path.end());
  return out;
}

Result<std::shared_ptr<plugins::Registry>> load_plugins(const config::Config& config,
                                                        const Options& options,
                                                        HostServices& host_services,
                                                        const plugins::Registry* before) {
  const auto state = host_services.paths.state();
  if (!state) return Error(state.error()).tagged("ConfigError");
  plugins::RegistryOptions registry{
      .directories = plugin_directories(config, options),
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
      .services = service_tables(host_services),
      .isolation = config.plugins.isolation,
      .retire = [&retirement = host_services.retirement](
                    std::function<void()> job) { retirement.post(std::move(job)); }};
  add_program(options, *state, host_services, registry);
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
