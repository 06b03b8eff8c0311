#include "base/text.h"
#include "cli/connection.h"
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
  const auto found = find_plugins(context.common);
  if (!found) return found.error();
  if (context.common.json) {
    Json list = Json::array();
    for (const auto& manifest : found->manifests) list.push_back(as_json(manifest));
    Json problems = Json::array();
    for (const Error& problem : found->problems) problems.push_back(problem.message);
    context.terminal.out_json(to_text({{"plugins", list}, {"problems", problems}}));
  } else {
    for (const auto& manifest : found->manifests) print(context.terminal, manifest);
    for (const Error& problem : found->problems) context.terminal.error(problem);
  }
  return found->problems.empty() ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb plugins_verb(CommonOptions&) {
  return {"plugins", "Manage the plugins", {}};
}

Verb plugins_list_verb(CommonOptions& common) {
  return {"plugins list", "List the plugins found, without loading them", with_json(common),
          run_plugins_list};
}

}  // namespace quarry::cli
