#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "plugins/registry.h"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::vector<std::string> components_of(const plugins::Manifest& manifest) {
  std::vector<std::string> out;
  for (const auto& component : manifest.components)
    out.push_back(component.kind + " " + component.name);
  return out;
}

Json as_json(const plugins::Manifest& manifest) {
  return {{"id", manifest.id},
          {"version", manifest.version},
          {"summary", manifest.summary},
          {"licence", manifest.licence},
          {"path", manifest.path.string()},
          {"components", components_of(manifest)}};
}

void print(Terminal& terminal, const plugins::Manifest& manifest) {
  terminal.out_line(manifest.id + " " + manifest.version + "  " +
                    join(components_of(manifest), ", "));
  terminal.out_line("    " + manifest.summary);
  terminal.out_line("    " + manifest.path.parent_path().string());
}

Result<ExitCode> run_plugins_list(Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  const auto found = find_plugins(*config);
  const auto problems = plugin_problems(*config, context.common);
  if (context.common.json) {
    Json list = Json::array();
    for (const auto& manifest : found.manifests) list.push_back(as_json(manifest));
    Json sentences = Json::array();
    for (const Error& problem : problems) sentences.push_back(with_hint(problem));
    context.terminal.out_json(to_text({{"plugins", list}, {"problems", sentences}}));
  } else {
    for (const auto& manifest : found.manifests) print(context.terminal, manifest);
    for (const Error& problem : problems) context.terminal.error(problem);
  }
  return problems.empty() ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb plugins_verb(CommonOptions&) {
  return {"plugins", "Manage the plugins", {}};
}

Verb plugins_list_verb(CommonOptions& common) {
  return {"plugins list", "List the plugins found, and report those that cannot be loaded",
          with_json(common), run_plugins_list};
}

}  // namespace quarry::cli
