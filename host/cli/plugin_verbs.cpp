#include "base/printable.h"
#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/plugin_indexes.h"
#include "cli/plugin_origin.h"
#include "cli/plugin_words.h"
#include "cli/verbs.h"
#include "plugins/plugin_rules.h"
#include "plugins/plugin_version.h"
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

/// The same for a person, who is told of those that are not used.
std::vector<std::string> component_words_of(const plugins::Manifest& manifest) {
  std::vector<std::string> out = components_of(manifest);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!plugins::is_known_kind(manifest.components[i].kind)) out[i] += kUnknownKind;
  }
  return out;
}

/// Components of kinds that this host does not know.
std::vector<std::string> unknown_in(const plugins::Manifest& manifest) {
  std::vector<std::string> out;
  for (const auto& component : manifest.components) {
    if (plugins::is_known_kind(component.kind)) continue;
    out.push_back(component.kind + " " + component.name);
  }
  return out;
}

/// The version in the copy of an index that is newer than the installed one; null if there is none.
const OfferedVersion* newer_of(const plugins::Manifest& manifest, const OfferedVersions& offered) {
  const auto found = offered.find(manifest.id);
  if (found == offered.end() || origin_of(manifest).from != PluginOrigin::From::kAdded) {
    return nullptr;
  }
  const auto order = plugins::compare_versions(found->second.version, manifest.version);
  return order > 0 ? &found->second : nullptr;
}

Json as_json(const plugins::Manifest& manifest, const OfferedVersion* newer) {
  Json out{{"id", manifest.id},
           {"version", manifest.version},
           {"summary", manifest.summary},
           {"licence", manifest.licence},
           {"path", manifest.path.string()},
           {"components", components_of(manifest)},
           {"unknown", unknown_in(manifest)},
           {"newer", nullptr}};
  if (newer != nullptr) out["newer"] = {{"version", newer->version}, {"index", newer->index}};
  return out;
}

void print(Terminal& terminal, const plugins::Manifest& manifest, const OfferedVersion* newer) {
  terminal.out_line(manifest.id + " " + manifest.version + "  " +
                    join(component_words_of(manifest), ", "));
  terminal.out_line("    " + manifest.summary);
  terminal.out_line("    " + manifest.path.parent_path().string());
  if (newer == nullptr) return;
  terminal.out_line("    " + printable_exact(newer->version) + " is in index " + newer->index +
                    ": quarry plugins add " + manifest.id);
}

Result<ExitCode> run_plugins_list(Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  const auto found = find_plugins(*config);
  const auto problems = plugin_problems(*config, context.common);
  const auto offered = versions_in_copies(*config);
  if (context.common.json) {
    Json list = Json::array();
    for (const auto& manifest : found.manifests) {
      list.push_back(as_json(manifest, newer_of(manifest, offered)));
    }
    Json sentences = Json::array();
    for (const Error& problem : problems) sentences.push_back(with_hint(problem));
    context.terminal.out_json(to_text({{"plugins", list}, {"problems", sentences}}));
  } else {
    for (const auto& manifest : found.manifests) {
      print(context.terminal, manifest, newer_of(manifest, offered));
    }
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
