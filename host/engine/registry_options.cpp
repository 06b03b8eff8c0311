#include "engine/registry_options.h"

#include "engine/component_tables.h"
#include "engine/wanted_plugins.h"
#include "runner/child.h"
#include "runner/isolate.h"
#include "runner/strikes.h"

namespace quarry::engine {

std::vector<std::filesystem::path> plugin_directories(const config::Config& config,
                                                      const Options& options) {
  auto out = options.plugin_directories;
  if (!options.installed_plugins.empty()) out.push_back(options.installed_plugins);
  out.insert(out.end(), config.plugins.path.begin(), config.plugins.path.end());
  return out;
}

plugins::RegistryOptions registry_options(const config::Config& config, const Options& options,
                                          const std::filesystem::path& state, const Clock& clock,
                                          services::IoThread* io, OnCrash crashed) {
  plugins::RegistryOptions out{
      .directories = plugin_directories(config, options),
      .own_directories = options.plugin_directories.size(),
      .installed_directory = options.installed_plugins,
      .drafts = config.plugins.drafts,
      .probed_list = state / "probed-plugins",
      .probe_command = {},
      .table = component_tables(config),
      .disabled = config.plugins.disabled,
      .wanted =
          [&config, transports = options.transports, store = options.store](const auto& manifest,
                                                                            const auto& found) {
            return is_wanted(
                config, manifest,
                {.transports = transports, .tokens = store || serves_tokens(config, found)});
          },
      .pinned = config.plugins.pinned,
      .host_version = QUARRY_VERSION,
      .services = {},
      .isolation = config.plugins.isolation};
  if (options.program.empty()) return out;
  out.probe_command = {options.program.string(), "plugins", "probe"};
  out.isolate =
      isolation(options, clock, state / runner::kQuarantinedList, {}, io, std::move(crashed));
  return out;
}

std::function<Result<std::shared_ptr<plugins::Module>>(const plugins::Manifest&)> isolation(
    const Options& options, const Clock& clock, const std::filesystem::path& quarantined_list,
    const runner::CrashLimits& crashes, services::IoThread* io, OnCrash crashed) {
  if (options.program.empty()) return {};
  return [runners = runner::RunnerOptions{.command = {options.program.string(), runner::kRunPlugin},
                                          .clock = &clock,
                                          .quarantined_list = quarantined_list,
                                          .crashes = crashes,
                                          .crashed = std::move(crashed),
                                          .io = io}](const plugins::Manifest& manifest) {
    return runner::isolate(manifest, runners);
  };
}

}  // namespace quarry::engine
