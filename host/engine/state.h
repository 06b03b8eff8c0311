#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "engine/host_services.h"
#include "engine/models.h"
#include "engine/retrieval_providers.h"
#include "engine/shared_resources.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/registry.h"
#include "plugins/resource_type.h"
#include "resources/lock_file.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// Components and data made from one configuration. Immutable and shared: a question keeps the
/// state with which it began, a reload makes a new one.
struct State {
  config::Config config;
  std::shared_ptr<plugins::Registry> plugins;
  plugins::ResourceTypes types;
  std::map<std::string, Json, std::less<>> schemas;  ///< of a [[resource]] table, by type
  std::vector<Json> resources;                       ///< as configured, secrets by name
  std::vector<SharedResource> shared;                ///< those of `resources` for projects
  std::string resources_json;                        ///< result of resources.list
  std::string schemas_json;                          ///< result of schemas
  std::shared_ptr<Models> models;
  plugins::PricingCatalogues pricing;
  RetrievalProviders retrieval;
  /// Content of quarry.lock; nothing if versions are not locked.
  std::optional<std::vector<resources::LockedResource>> lock;
  std::vector<std::string> problems;             ///< that did not prevent this state
  std::function<void(std::string_view)> report;  ///< tells the operator of a later problem

  /// Types for callers with tokens (ActsFor::kProjects); their resources are read, resolved
  /// and fetched with these only. Empty if no callers with tokens are served.
  plugins::ResourceTypes types_for_tokens;

  /// The configured resource that a client calls `name`.
  [[nodiscard]] const Json* find(std::string_view name) const;

  /// A resource as clients see it, as JSON text: its type's own form of it, without secrets.
  [[nodiscard]] std::string wire_text(const Json& resource) const;
  /// The result of resources.list for the owner.
  [[nodiscard]] std::string list_json() const;
  /// The result for a project: its own resources, then those that are shared with it.
  [[nodiscard]] std::string list_json(const std::vector<Json>& own, std::string_view project) const;
};

/// Makes the components and checks every table against its component; with `locked`, reads the lock
/// file too. Fails with a ConfigError with the places of the mistakes. Uses the registry.
Result<std::shared_ptr<const State>> make_state(config::Config config,
                                                std::shared_ptr<plugins::Registry> registry,
                                                HostServices& host_services, bool locked);

}  // namespace quarry::engine
