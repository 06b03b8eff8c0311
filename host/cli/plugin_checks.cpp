#include "cli/plugin_checks.h"

#include "cli/connection.h"
#include "cli/plugin_origin.h"
#include "plugins/probe.h"

#include <chrono>
#include <string>
#include <vector>

namespace quarry::cli {

bool is_isolated(const plugins::Manifest& manifest, const config::Plugins& configured) {
  return plugins::is_isolated(manifest, configured.isolation,
                              origin_of(manifest).from == PluginOrigin::From::kProgram);
}

Status load_apart(const plugins::Manifest& manifest, bool isolated) {
  constexpr std::chrono::seconds kLimit{20};
  std::vector<std::string> command{program_path().string(), "plugins", "probe"};
  if (isolated) command.emplace_back("--sandbox");
  return plugins::probe(manifest, command, kLimit);
}

}  // namespace quarry::cli
