#include "engine/configuration_trial.h"

#include "engine/host_services.h"
#include "engine/load_plugins.h"
#include "engine/model_sources.h"
#include "engine/price_catalogues.h"
#include "engine/resource_types.h"
#include "engine/retrieval_providers.h"
#include "engine/shared_resources.h"
#include "engine/transports.h"
#include "engine/wanted_plugins.h"
#include "plugins/plugin_rules.h"
#include "resources/normalise.h"

#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

bool is_offered(const plugins::Registry& registry, std::string_view kind, const std::string& name) {
  const auto names = registry.names(kind);
  return std::ranges::find(names, name) != names.end();
}

/// The error with its place in the table: of the member that it names, else of `pointer`.
Error placed(Error error, const config::Table& table, const std::string& pointer) {
  if (!error.details.empty()) return config::at_places(std::move(error), table);
  const auto place = table.places.find(pointer);
  return place == table.places.end() ? error : std::move(error).in(place->second.text());
}

class Trial {
 public:
  Trial(const config::Config& config, const Options& options, plugins::Registry& registry,
        HostServices& host_services)
      : config_(config),
        rules_({.own_directories = options.plugin_directories,
                .pinned = {},
                .isolation = config.plugins.isolation,
                .can_isolate = true}),
        registry_(registry),
        host_services_(host_services) {}

  std::vector<Error> run() {
    host_services_.secrets.update(secret_sources(config_));
    try_resources();
    try_models();
    try_fallbacks();
    try_searches(try_pricing());
    if (serves_tokens(config_, registry_.plugins())) note(make_store(config_, registry_));
    for (const std::string& name : enabled_transports(config_, registry_.plugins())) {
      note(make_transport(config_, registry_, name));
    }
    return std::move(found_);
  }

 private:
  template <class Value>
  void note(const Result<Value>& made) {
    if (!made) found_.push_back(host_services_.redactor.redact(made.error()));
  }

  void try_resources() {
    const auto types = make_resource_types(config_, registry_, problems_);
    if (!types) return note(types);
    for (const config::Resource& resource : config_.resources) {
      if (types->at(resource.type)->unusable() != nullptr || may_end_this(resource.type)) continue;
      Json fields = *parse_json(resource.fields.json);
      std::vector<FieldError> mistakes;  // which are in the files
      static_cast<void>(take_projects(fields, file_schema(*types->at(resource.type)), mistakes));
      const auto value = resources::normalise(*types, fields, Schema::Unknown::kIgnore);
      if (value) continue;
      Error error = Error(value.error()).in("resource \"" + resource.name + '"');
      found_.push_back(placed(std::move(error), resource.fields, ""));
    }
  }

  /// True for a type of a plugin that did not come with the program and is to run in its process:
  /// a crash there would end the check.
  [[nodiscard]] bool may_end_this(const std::string& type) const {
    const auto offers = [&](const plugins::Manifest& manifest) {
      return plugins::find_component(manifest, QUARRY_RESOURCE, type) != nullptr;
    };
    const auto manifest = std::ranges::find_if(registry_.plugins(), offers);
    return manifest != registry_.plugins().end() && !rules_.is_own(*manifest) &&
           !rules_.is_isolated(*manifest);
  }

  void try_models() {
    const config::Model& model = config_.model;
    if (Status checked = check_unnamed_options(model); !checked) {
      found_.push_back(host_services_.redactor.redact(checked.error()));
    }
    if (is_offered(registry_, QUARRY_MODEL, model.provider) &&
        !model.instances.contains(model.provider)) {
      note(make_model_source(model.provider, model, registry_));
    }
    for (const auto& [id, instance] : model.instances) {
      if (!is_offered(registry_, QUARRY_MODEL, instance.provider)) continue;
      note(make_model_source(id, model, registry_));
    }
  }

  void try_fallbacks() {
    for (std::size_t i = 0; i < config_.model.fallback.size(); ++i) {
      const std::string& entry = config_.model.fallback[i];
      const std::string id = entry.substr(0, entry.find('/'));
      auto known = registry_.names(QUARRY_MODEL);
      for (const auto& [name, unused] : config_.model.instances) known.push_back(name);
      if (std::ranges::find(known, id) != known.end()) continue;
      found_.push_back(placed(unknown_model_source(id, known), config_.model.options,
                              "/fallback/" + std::to_string(i)));
    }
  }

  plugins::PricingCatalogues try_pricing() {
    auto catalogues = make_catalogues(config_, registry_, problems_);
    note(catalogues);
    return catalogues ? std::move(*catalogues) : plugins::PricingCatalogues();
  }

  void try_searches(const plugins::PricingCatalogues& pricing) {
    note(make_retrieval_providers(config_, registry_, pricing, host_services_));
  }

  const config::Config& config_;
  const plugins::PluginRules rules_;
  plugins::Registry& registry_;
  HostServices& host_services_;
  std::vector<Error> found_;
  std::vector<std::string> problems_;  // of plugins, which their own report has
};

}  // namespace

std::vector<Error> try_configuration(const config::Config& config, const Options& options) {
  const auto host_services = HostServices::create(config, options);
  if (!host_services) return {host_services.error()};
  const auto registry = load_plugins(config, options, **host_services, Loading::kAtOnce);
  if (!registry) return {(*host_services)->redactor.redact(Error(registry.error()))};
  return Trial(config, options, **registry, **host_services).run();
}

}  // namespace quarry::engine
