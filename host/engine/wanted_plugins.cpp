#include "engine/wanted_plugins.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/transport.h>

#include <algorithm>

namespace quarry::engine {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_enabled(const config::Config& config, const plugins::ManifestComponent& transport) {
  return transport.opt_in ? contains(config.enabled_transports, transport.name)
                          : !contains(config.disabled_transports, transport.name);
}

std::vector<std::string> enabled_transports(const config::Config& config,
                                            const std::vector<plugins::Manifest>& loaded) {
  std::vector<std::string> names;
  for (const auto& manifest : loaded) {
    for (const auto& component : manifest.components) {
      if (component.kind != QUARRY_TRANSPORT || !is_enabled(config, component)) continue;
      names.push_back(component.name);
    }
  }
  std::ranges::sort(names);
  return names;
}

bool serves_tokens(const config::Config& config, const std::vector<plugins::Manifest>& found) {
  if (config.store.provider == "none") return false;
  return std::ranges::any_of(found, [&](const plugins::Manifest& manifest) {
    return std::ranges::any_of(manifest.components, [&](const auto& component) {
      return component.kind == QUARRY_TRANSPORT && component.opt_in &&
             is_enabled(config, component);
    });
  });
}

bool searches_want_more(const config::Config& before, const config::Config& after) {
  const auto begins = [](const std::string& old, const std::string& now) {
    return old.empty() && !now.empty();
  };
  return begins(before.search.embedding, after.search.embedding) ||
         begins(before.search.rerank, after.search.rerank);
}

bool is_wanted(const config::Config& config, const plugins::Manifest& manifest, Serves serves) {
  return std::ranges::any_of(manifest.components, [&](const auto& component) {
    if (component.kind == QUARRY_TRANSPORT) {
      return serves.transports && is_enabled(config, component);
    }
    if (component.kind == QUARRY_STORE) {
      return serves.tokens && component.name == config.store.provider;
    }
    if (component.kind == QUARRY_EMBEDDING) return !config.search.embedding.empty();
    if (component.kind == QUARRY_RERANK) return !config.search.rerank.empty();
    return component.kind != QUARRY_SYMBOLS;
  });
}

}  // namespace quarry::engine
