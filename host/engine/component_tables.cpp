#include "engine/component_tables.h"

#include "engine/resource_types.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <map>

namespace quarry::engine {
namespace {

using Tables = std::map<std::string, config::Table>;

config::Table found_in(const Tables& tables, const std::string& name) {
  const auto found = tables.find(name);
  return found == tables.end() ? config::Table() : found->second;
}

/// Those of the first table that names the component.
template <class Instances>
config::Table options_in(const Instances& instances, const std::string& component) {
  for (const auto& [name, instance] : instances) {
    if (instance.provider == component) return instance.options;
  }
  return {};
}

config::Table table_of(const config::Config& config, std::string_view kind,
                       const std::string& name) {
  if (kind == QUARRY_PRICING) return found_in(config.pricing, name);
  if (kind == QUARRY_TRANSPORT) return found_in(config.transports, name);
  if (kind == QUARRY_STORE && config.store.provider == name) return config.store.options;
  if (kind == QUARRY_MODEL && config.model.provider == name) return config.model.options;
  if (kind == QUARRY_MODEL) return options_in(config.model.instances, name);
  if (kind == QUARRY_EMBEDDING) return options_in(config.embeddings, name);
  if (kind == QUARRY_RERANK) return options_in(config.rerankers, name);
  return {};
}

}  // namespace

std::function<std::string(std::string_view kind, std::string_view name)> component_tables(
    const config::Config& config) {
  return [&config](std::string_view kind, std::string_view name) {
    const std::string component(name);
    if (kind == QUARRY_RESOURCE) {
      return configuration_of(config, found_in(config.resource_types, component), ActsFor::kOwner);
    }
    return table_of(config, kind, component).json;
  };
}

}  // namespace quarry::engine
