#include "cli/plugin_checks.h"

#include "cli/connection.h"
#include "cli/plugin_origin.h"
#include "engine/registry_options.h"
#include "plugins/check_plugins.h"
#include "plugins/probe.h"
#include "runner/isolate.h"
#include "runner/runner.h"
#include "runner/sandbox.h"
#include "runner/strikes.h"
#include "services/paths.h"

#include <chrono>
#include <filesystem>
#include <string>

namespace quarry::cli {
namespace {

constexpr std::chrono::seconds kLoadLimit{20};

/// Directory of state; empty if the environment names none.
std::filesystem::path state_directory() {
  const auto roots = services::Paths::roots();
  return roots ? roots->state : std::filesystem::path();
}

Status check_isolated(const plugins::Manifest& manifest, const std::filesystem::path& state) {
  if (auto may = runner::check_isolatable(manifest); !may) return may;
  const bool ended =
      !state.empty() && runner::is_quarantined(state / runner::kQuarantinedList, manifest.sha256);
  return ended ? Status(runner::quarantined(manifest.id)) : Status();
}

}  // namespace

bool is_isolated(const plugins::Manifest& manifest, const config::Plugins& configured) {
  return plugins::is_isolated(manifest, configured.isolation,
                              origin_of(manifest).from == PluginOrigin::From::kProgram);
}

Confinement available_confinement() {
  const auto sandbox = runner::available_sandbox(runner::RunnerOptions().memory);
  return {.files = sandbox.landlock != 0, .rest = sandbox.seccomp};
}

std::vector<std::string> probe_command(const plugins::Manifest& manifest, bool isolated) {
  const bool own = origin_of(manifest).from == PluginOrigin::From::kProgram;
  std::vector<std::string> command{program_path().string(), "plugins", "probe"};
  if (!own) command.emplace_back(plugins::kProbeUse);
  if (isolated) command.emplace_back("--sandbox");
  return command;
}

Status load_apart(const plugins::Manifest& manifest, bool isolated, std::string_view tables) {
  return plugins::probe(manifest, probe_command(manifest, isolated), kLoadLimit, tables);
}

std::vector<Error> plugin_problems(const config::Config& config, const CommonOptions& common) {
  const SystemClock clock;
  const auto state = state_directory();
  auto engine = engine_options(common);
  engine.transports = true;
  auto options = engine::registry_options(config, engine, state, clock);
  if (state.empty()) options.probed_list.clear();
  return plugins::check_plugins(
      options,
      {.may_be_isolated = [&](const auto& manifest) { return check_isolated(manifest, state); },
       .load = load_apart,
       .load_together =
           [](const auto& manifests) {
             return plugins::probe_together(manifests, probe_command(*manifests.front(), false),
                                            kLoadLimit);
           }});
}

}  // namespace quarry::cli
