#include "plugins/plugin_rules.h"

#include "plugins/compose.h"
#include "plugins/registry.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace quarry::plugins {
namespace {

constexpr std::string_view kOwnIds = "io.quarry.";

/// Fails if `manifest` has the id or a component of a plugin found before.
Status check_apart(const Manifest& manifest, const Manifest& before) {
  if (before.id == manifest.id) {
    return Error(Code::kInvalidArgument,
                 compose("plugin {} in {} is not used: it is loaded from {}", manifest.id,
                         manifest.path.parent_path().string(), before.path.parent_path().string()),
                 "remove one of them");
  }
  for (const auto& component : manifest.components) {
    if (!is_known_kind(component.kind)) continue;
    if (find_component(before, component.kind, component.name) == nullptr) continue;
    return Error(Code::kInvalidArgument,
                 compose("plugin {} is not used: {} \"{}\" is offered by {} already", manifest.id,
                         component.kind, component.name, before.id),
                 "disable one of them in [plugins] of the configuration");
  }
  return {};
}

Status check_kinds(const Manifest& manifest) {
  const auto draft = std::ranges::find_if(manifest.components, [](const auto& component) {
    return is_known_kind(component.kind) && component.kind.contains(".draft/");
  });
  if (draft == manifest.components.end()) return {};
  return Error(Code::kUnsupported,
               compose("plugin {} offers {} \"{}\", a kind that is a draft and may change",
                       manifest.id, draft->kind, draft->name),
               "to load it, set drafts = true in [plugins] of the configuration");
}

Status check_id(const Manifest& manifest) {
  if (!is_own_id(manifest.id)) return {};
  return Error(Code::kInvalidArgument,
               compose("plugin {} in {} is not used: ids that begin with \"{}\" are those of the "
                       "program's own plugins",
                       manifest.id, manifest.path.parent_path().string(), kOwnIds),
               "give the plugin an id of its own, such as org.example.notes");
}

Status check_pinned(const Manifest& manifest, const std::map<std::string, std::string>& pinned) {
  const auto pin = pinned.find(manifest.id);
  if (pin == pinned.end() || pin->second == manifest.sha256) return {};
  return Error(Code::kPermissionDenied,
               compose("plugin {} is pinned to SHA-256 {}, and is {}", manifest.id, pin->second,
                       manifest.sha256),
               "if you trust the new file, change [plugins.pinned] in the configuration");
}

}  // namespace

bool is_own_id(std::string_view id) {
  return id.starts_with(kOwnIds);
}

bool is_known_kind(std::string_view kind) {
  constexpr std::string_view kKinds[] = {QUARRY_RESOURCE,  QUARRY_MODEL, QUARRY_PRICING,
                                         QUARRY_TRANSPORT, QUARRY_STORE, QUARRY_SYMBOLS,
                                         QUARRY_EMBEDDING, QUARRY_RERANK};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

bool starts_with_host(const Manifest& manifest) {
  return std::ranges::any_of(manifest.components, [](const auto& component) {
    return component.kind == QUARRY_TRANSPORT || component.kind == QUARRY_STORE;
  });
}

PluginRules PluginRules::of(const RegistryOptions& options) {
  const auto own = options.directories | std::views::take(options.own_directories);
  return {.own_directories = {own.begin(), own.end()},
          .drafts = options.drafts,
          .pinned = options.pinned,
          .isolation = options.isolation,
          .can_isolate = static_cast<bool>(options.isolate)};
}

bool PluginRules::is_own(const Manifest& manifest) const {
  const auto directory = manifest.path.parent_path().parent_path();
  return std::ranges::any_of(own_directories, [&](const std::filesystem::path& each) {
    return (each / "").lexically_normal() == directory / "";
  });
}

bool PluginRules::is_isolated(const Manifest& manifest) const {
  return plugins::is_isolated(manifest, isolation, is_own(manifest) || !can_isolate);
}

Status PluginRules::check(const Manifest& manifest,
                          const std::vector<const Manifest*>& loaded) const {
  if (auto fits = check_compatible(manifest.id, manifest.built_for, manifest.minimum); !fits) {
    return fits;
  }
  if (!drafts && !is_own(manifest)) {
    if (auto permitted = check_kinds(manifest); !permitted) return permitted;
  }
  for (const auto* before : loaded) {
    if (auto apart = check_apart(manifest, *before); !apart) return apart;
  }
  if (!is_own(manifest)) {
    if (auto permitted = check_id(manifest); !permitted) return permitted;
  }
  return check_pinned(manifest, pinned);
}

}  // namespace quarry::plugins
