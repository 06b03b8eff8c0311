#include "plugins/registry.h"

#include "base/text.h"
#include "plugins/adapters.h"
#include "plugins/compose.h"
#include "plugins/copy_ahead.h"
#include "plugins/module_loader.h"
#include "plugins/plugin_rules.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace quarry::plugins {
namespace {

bool same_plugin(const Manifest& one, const Manifest& other) {
  return one.path == other.path && one.own_sha256 == other.own_sha256;
}

class LoadedRegistry final : public Registry {
 public:
  explicit LoadedRegistry(RegistryOptions options)
      : options_(std::move(options)), rules_(PluginRules::of(options_)), loader_(options_) {}

  /// `before`: the registry that this replaces; may be null.
  void load_all(const LoadedRegistry* before) {
    if (before != nullptr) before_ = before->modules_;
    is_reload_ = before != nullptr;
    auto found = find_wanted(options_);
    problems_ = std::move(found.problems);
    unusable_ = std::move(found.unusable);
    disabled_ = std::move(found.disabled);
    kinds_ = std::move(found.kinds);
    CopyAhead copies(found.manifests);
    loader_.probe_ahead(found.manifests);
    for (const auto& manifest : found.manifests) {
      if (auto loaded = load_one(manifest, copies.next()); !loaded) {
        fail(manifest, std::move(loaded.error()));
      }
    }
    add_started();
    keep_unreadable();
    note_changes();
    options_.wanted = nullptr;  // they may refer to what the caller holds
    options_.table = nullptr;
  }

  [[nodiscard]] std::unique_ptr<Registry> reload(RegistryOptions options) const override {
    auto next = std::make_unique<LoadedRegistry>(std::move(options));
    next->load_all(this);
    return next;
  }
  [[nodiscard]] std::vector<PluginChange> changes() const override {
    std::vector<PluginChange> out;
    for (const auto& [id, change] : changes_) out.push_back(change);
    return out;
  }
  void end_reload() override { before_.clear(); }

  [[nodiscard]] const std::vector<Manifest>& plugins() const override { return plugins_; }
  [[nodiscard]] const std::vector<Error>& problems() const override { return problems_; }
  [[nodiscard]] const std::vector<UnusablePlugin>& unusable() const override { return unusable_; }
  [[nodiscard]] bool is_offered(std::string_view kind) const override {
    return kinds_.contains(std::string(kind));
  }
  [[nodiscard]] std::vector<std::string> names(std::string_view kind) const override {
    std::vector<std::string> names;
    for (const auto& [key, offered] : components_) {
      if (key.first == kind) names.push_back(key.second);
    }
    return names;
  }

  Result<std::shared_ptr<ResourceType>> make_resource_type(std::string_view name,
                                                           std::string_view json) override {
    return make(QUARRY_RESOURCE, name, json, adapt_resource);
  }
  Result<std::shared_ptr<ModelProvider>> make_model_provider(std::string_view name,
                                                             std::string_view json) override {
    return make(QUARRY_MODEL, name, json, adapt_model);
  }
  Result<std::shared_ptr<PricingCatalogue>> make_pricing(std::string_view name,
                                                         std::string_view json) override {
    return make(QUARRY_PRICING, name, json, adapt_pricing);
  }
  Result<std::shared_ptr<Analyser>> make_analyser(std::string_view name,
                                                  std::string_view json) override {
    return make(QUARRY_SYMBOLS, name, json, adapt_analyser);
  }
  Result<std::shared_ptr<EmbeddingProvider>> make_embedding(std::string_view name,
                                                            std::string_view json) override {
    return make(QUARRY_EMBEDDING, name, json, adapt_embedding);
  }
  Result<std::shared_ptr<RerankProvider>> make_rerank(std::string_view name,
                                                      std::string_view json) override {
    return make(QUARRY_RERANK, name, json, adapt_rerank);
  }
  Result<std::shared_ptr<Store>> make_store(std::string_view name, std::string_view json) override {
    return make(QUARRY_STORE, name, json, adapt_store);
  }
  Result<std::shared_ptr<Transport>> make_transport(std::string_view name,
                                                    std::string_view json) override {
    return make(QUARRY_TRANSPORT, name, json, adapt_transport);
  }

 private:
  using Modules = std::map<std::string, std::shared_ptr<HostedModule>, std::less<>>;  // by id
  struct Offered {
    std::shared_ptr<HostedModule> module;
    const quarry_component* component;
  };
  using Key = std::pair<std::string, std::string>;

  /// Plugins whose ids and components are taken.
  [[nodiscard]] std::vector<const Manifest*> taken() const {
    std::vector<const Manifest*> out;
    for (const auto& plugin : plugins_) out.push_back(&plugin);
    for (const auto& [module, opened] : starting_) out.push_back(&module->manifest());
    return out;
  }

  Status load_one(const Manifest& manifest, Result<PrivateCopy> copy) {
    if (auto permitted = rules_.check(manifest, taken()); !permitted) return permitted;
    if (!copy) return std::move(copy.error());
    const bool apart = rules_.is_isolated(manifest);
    const auto before = before_.find(manifest.id);
    if (before != before_.end() && same_plugin(before->second->manifest(), manifest) &&
        before->second->in_process() != apart) {
      add(before->second);
      return {};
    }
    if (is_reload_ && starts_with_host(manifest)) return needs_start(manifest);
    auto loading = loader_.load(manifest, std::move(*copy), apart);
    if (!loading) return std::move(loading.error());
    starting_.push_back(std::move(*loading));
    return {};
  }

  static Error needs_start(const Manifest& manifest) {
    return {Code::kUnsupported,
            compose("plugin {} {} is not loaded: it has a transport or store, which start with the "
                    "host",
                    manifest.id, manifest.version),
            "restart the host to use it"};
  }

  void add(std::shared_ptr<HostedModule> module) {
    const auto& entry = module->entry();
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      const auto* component = entry.components[i];
      if (!is_known_kind(component->kind)) continue;
      components_.insert_or_assign(Key(component->kind, component->name),
                                   Offered{module, component});
    }
    plugins_.push_back(module->manifest());
    modules_.emplace(module->manifest().id, std::move(module));
  }

  void add_started() {
    for (auto& [module, opened] : std::exchange(starting_, {})) {
      if (auto outcome = opened.get(); !outcome) {
        fail(module->manifest(), std::move(outcome.error()));
      } else {
        add(std::move(module));
      }
    }
  }

  /// The plugin cannot be loaded: its code before stays in use, if there is any.
  void fail(const Manifest& manifest, Error error) {
    const auto before = before_.find(manifest.id);
    if (before != before_.end() && !modules_.contains(manifest.id) && may_stay(*before->second)) {
      error.message +=
          compose("; version {}, loaded before, stays in use", before->second->manifest().version);
      keep(before->second);
    } else {
      unusable_.push_back({manifest, error});
    }
    problems_.push_back(std::move(error));
  }

  [[nodiscard]] bool may_stay(const HostedModule& module) const {
    const auto& manifest = module.manifest();
    return rules_.is_isolated(manifest) != module.in_process() && rules_.check(manifest, taken());
  }

  void keep(const std::shared_ptr<HostedModule>& module) {
    add(module);
    changes_[module->manifest().id] = {.id = module->manifest().id,
                                       .version = module->manifest().version,
                                       .kind = PluginChange::Kind::kKept};
  }

  /// Plugins of before whose manifest is there and cannot be read: find_plugins has named the
  /// cause.
  void keep_unreadable() {
    for (const auto& [id, module] : before_) {
      const auto& manifest = module->manifest();
      if (modules_.contains(id) || is_disabled(options_, manifest) || changes_.contains(id))
        continue;
      std::error_code failure;
      const bool there = std::filesystem::exists(manifest.path, failure) && !failure;
      if (!(there || starts_with_host(manifest)) || !is_wanted(manifest)) continue;
      if (!may_stay(*module)) continue;
      problems_.emplace_back(
          Code::kUnavailable,
          compose("plugin {} cannot be loaded again; version {}, loaded before, stays in use", id,
                  manifest.version),
          there ? "mend it, or remove it" : "restart the host to end its use");
      keep(module);
      std::erase_if(unusable_, [&](const auto& plugin) { return plugin.manifest.id == id; });
    }
  }
  [[nodiscard]] bool is_wanted(const Manifest& manifest) const {
    return !options_.wanted || options_.wanted(manifest, plugins_);
  }

  void note_changes() {
    if (!is_reload_) return;
    for (const auto& [id, module] : modules_) {
      const auto before = before_.find(id);
      const auto& version = module->manifest().version;
      if (before == before_.end()) {
        changes_[id] = {.id = id, .version = version};
      } else if (before->second != module) {
        changes_[id] = {.id = id,
                        .version = version,
                        .kind = PluginChange::Kind::kReplaced,
                        .before = before->second->manifest().version};
      }
    }
    for (const auto& [id, module] : before_) {
      if (modules_.contains(id)) continue;
      changes_[id] = {
          .id = id, .version = module->manifest().version, .kind = PluginChange::Kind::kRemoved};
    }
  }

  template <class Type>
  using Adapt = Result<Type> (*)(std::shared_ptr<Instance>);

  template <class Type>
  Result<Type> make(const char* kind, std::string_view name, std::string_view json,
                    Adapt<Type> adapt) {
    const auto offered = components_.find(Key(kind, name));
    if (offered == components_.end()) return nobody_offers(kind, name);
    auto made = make_from(offered->second, json, adapt);
    if (made) return made;
    const auto before = offered_before(offered->second);
    if (!before) return made;
    auto again = make_from(*before, json, adapt);
    if (again) go_back(before->module, made.error());
    return again ? std::move(again) : std::move(made);
  }

  template <class Type>
  Result<Type> make_from(const Offered& offered, std::string_view json, Adapt<Type> adapt) {
    const auto& [module, component] = offered;
    auto instance = Instance::create(module, *component, module->host(), json);
    if (!instance) return std::move(instance.error());
    module->add_rights((*instance)->rights());
    return adapt(std::move(*instance));
  }

  /// The component in the code of before, if that is other code.
  [[nodiscard]] std::optional<Offered> offered_before(const Offered& offered) const {
    const auto before = before_.find(offered.module->manifest().id);
    if (before == before_.end() || before->second == offered.module) return std::nullopt;
    const auto& entry = before->second->entry();
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      const auto* const component = entry.components[i];
      if (component->kind == std::string_view(offered.component->kind) &&
          component->name == std::string_view(offered.component->name)) {
        return Offered{before->second, component};
      }
    }
    return std::nullopt;
  }

  /// Uses the code of before again for all components of the plugin.
  void go_back(const std::shared_ptr<HostedModule>& before, Error error) {
    const std::string id = before->manifest().id;
    const auto& replacing = modules_.at(id);
    std::erase_if(components_, [&](const auto& row) { return row.second.module == replacing; });
    std::erase_if(plugins_, [&](const Manifest& manifest) { return manifest.id == id; });
    modules_.erase(id);
    if (!error.message.contains(id)) error.message = compose("plugin {}: {}", id, error.message);
    error.message +=
        compose("; version {}, loaded before, stays in use", before->manifest().version);
    problems_.push_back(std::move(error));
    keep(before);
  }

  [[nodiscard]] Error nobody_offers(const char* kind, std::string_view name) const {
    for (const Manifest& manifest : disabled_) {
      if (find_component(manifest, kind, name) == nullptr) continue;
      return {Code::kNotFound,
              compose("plugin {}, which offers {} \"{}\", is disabled", manifest.id, kind, name),
              "remove it from disabled in [plugins] of the configuration"};
    }
    const auto known = names(kind);
    const auto near = nearest(name, known);
    return {Code::kNotFound, compose("no plugin offers {} \"{}\"", kind, name),
            near
                ? compose("did you mean \"{}\"?", *near)
                : compose("there is: {}; \"quarry plugins list\" shows plugins that cannot be used",
                          join(known, ", "))};
  }

  RegistryOptions options_;
  PluginRules rules_;
  ModuleLoader loader_;
  bool is_reload_ = false;
  Modules before_;  ///< until end_reload()
  Modules modules_;
  std::vector<Manifest> plugins_;
  std::vector<Error> problems_;
  std::vector<UnusablePlugin> unusable_;
  std::vector<Manifest> disabled_;
  std::set<std::string> kinds_;
  std::map<std::string, PluginChange> changes_;
  std::map<Key, Offered> components_;
  std::vector<ModuleLoader::Loading> starting_;
};

}  // namespace

bool is_isolated(const Manifest& manifest, const std::map<std::string, std::string>& chosen,
                 bool came_with_host) {
  const auto choice = chosen.find(manifest.id);
  if (choice != chosen.end()) return choice->second == "process";
  return manifest.isolation == "process" || !came_with_host;
}

std::string_view name_of(PluginChange::Kind kind) {
  switch (kind) {
    case PluginChange::Kind::kLoaded:
      return "loaded";
    case PluginChange::Kind::kReplaced:
      return "replaced";
    case PluginChange::Kind::kKept:
      return "kept";
    case PluginChange::Kind::kRemoved:
      return "removed";
  }
  return "";
}

std::string describe(const PluginChange& change) {
  std::string plugin = compose("plugin {} {}", change.id, change.version);
  switch (change.kind) {
    case PluginChange::Kind::kLoaded:
      return plugin + " is loaded";
    case PluginChange::Kind::kReplaced:
      return compose("{} replaces {}", plugin, change.before);
    case PluginChange::Kind::kKept:
      return plugin + " stays in use, although its files have changed";
    case PluginChange::Kind::kRemoved:
      return plugin + " is used no more";
  }
  return plugin;
}

std::unique_ptr<Registry> Registry::load(RegistryOptions options) {
  auto registry = std::make_unique<LoadedRegistry>(std::move(options));
  registry->load_all(nullptr);
  return registry;
}

}  // namespace quarry::plugins
