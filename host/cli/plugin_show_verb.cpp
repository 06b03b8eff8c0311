#include "cli/component_schemas.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/plugin_origin.h"
#include "cli/plugin_words.h"
#include "cli/verbs.h"
#include "runner/runner.h"
#include "runner/sandbox.h"
#include "runner/strikes.h"
#include "services/paths.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

/// Facts about a plugin beside its manifest.
struct Facts {
  bool isolated = false;
  bool isolation_is_configured = false;
  bool disabled = false;
  bool quarantined = false;
  std::optional<std::string> pinned;  ///< SHA-256 in the configuration
  PluginOrigin origin;
};

Facts facts_of(const plugins::Manifest& manifest, const config::Plugins& configured) {
  Facts out;
  out.isolation_is_configured = configured.isolation.contains(manifest.id);
  out.isolated = is_isolated(manifest, configured);
  out.disabled = std::ranges::find(configured.disabled, manifest.id) != configured.disabled.end();
  const auto pin = configured.pinned.find(manifest.id);
  if (pin != configured.pinned.end()) out.pinned = pin->second;
  const auto roots = services::Paths::roots();
  if (roots) {
    out.quarantined =
        runner::is_quarantined(roots->state / runner::kQuarantinedList, manifest.sha256);
  }
  out.origin = origin_of(manifest);
  return out;
}

std::string version_text(const plugins::AbiVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string pin_words(const plugins::Manifest& manifest, const Facts& facts) {
  if (!facts.pinned) return "no";
  return *facts.pinned == manifest.sha256 ? "yes" : "to another file, SHA-256 " + *facts.pinned;
}

void add_isolation(PluginRows& rows, const Facts& facts) {
  const std::string by = facts.isolation_is_configured ? ", by the configuration" : "";
  rows.emplace_back("isolation", facts.isolated
                                     ? "in a process of its own" + by
                                     : "none" + by + ": it runs in the process of the host");
  if (!facts.isolated) return;
  for (const auto& words : sandbox_words(runner::available_sandbox(runner::RunnerOptions().memory)))
    rows.emplace_back("", words);
  rows.emplace_back("quarantine", facts.quarantined
                                      ? "it crashed too often, and is not started until its file "
                                        "changes"
                                      : "no");
}

PluginRows rows_of(const plugins::Manifest& manifest, const Facts& facts) {
  PluginRows rows{{"licence", manifest.licence},
                  {"contract", "built for " + version_text(manifest.built_for) + ", needs " +
                                   version_text(manifest.minimum)},
                  {"folder", manifest.path.parent_path().string()},
                  {"file", manifest.file.filename().string()},
                  {"sha256", manifest.sha256}};
  add_components(rows, manifest);
  add_permissions(rows, manifest.permissions);
  add_isolation(rows, facts);
  rows.emplace_back("pinned", pin_words(manifest, facts));
  rows.emplace_back("disabled", facts.disabled ? "yes, it is not loaded" : "no");
  rows.emplace_back("came from", facts.origin.words);
  return rows;
}

Json as_json(const plugins::Manifest& manifest, const Facts& facts) {
  Json out{{"id", manifest.id},
           {"version", manifest.version},
           {"summary", manifest.summary},
           {"licence", manifest.licence},
           {"contract",
            {{"builtFor", version_text(manifest.built_for)},
             {"minimum", version_text(manifest.minimum)}}},
           {"path", manifest.path.string()},
           {"file", manifest.file.string()},
           {"sha256", manifest.sha256},
           {"components", components_json(manifest)},
           {"permissions", permissions_json(manifest.permissions)},
           {"isolation", facts.isolated ? "process" : "none"},
           {"disabled", facts.disabled},
           {"quarantined", facts.quarantined},
           {"pinned", nullptr},
           {"origin", facts.origin.json()}};
  if (facts.pinned) out["pinned"] = *facts.pinned;
  if (facts.isolated) {
    const auto sandbox = runner::available_sandbox(runner::RunnerOptions().memory);
    out["sandbox"] = *parse_json(sandbox.json());
  }
  return out;
}

Result<ExitCode> run_plugins_show(const std::string& id, Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  const auto found = find_plugins(*config);
  const auto manifest = std::ranges::find(found.manifests, id, &plugins::Manifest::id);
  if (manifest == found.manifests.end()) return unknown_plugin(id, found);
  const Facts facts = facts_of(*manifest, config->plugins);
  if (context.common.json) {
    context.terminal.out_json(to_text(as_json(*manifest, facts)));
  } else {
    print_plugin(context.terminal, *manifest, rows_of(*manifest, facts));
  }
  return ExitCode::kOk;
}

}  // namespace

Verb plugins_show_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"plugins show", "Print everything about a plugin, without loading it",
          with_json(common, {{"id", "", "Its id", id.get(), {.required = true}}}),
          [id](Context& context) { return run_plugins_show(*id, context); }};
}

}  // namespace quarry::cli
