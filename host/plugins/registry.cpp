#include "plugins/registry.h"

#include "base/text.h"
#include "plugins/adapters.h"
#include "plugins/compose.h"
#include "plugins/copy_ahead.h"
#include "plugins/deferred_components.h"
#include "plugins/known_descriptions.h"
#include "plugins/module_loader.h"
#include "plugins/plugin_code.h"
#include "plugins/plugin_rules.h"
#include "plugins/unavailable_type.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

namespace quarry::plugins {
namespace {

bool same_plugin(const Manifest& one, const Manifest& other) {
  return one.path == other.path && one.own_sha256 == other.own_sha256;
}

/// A component that a plugin offers.
struct Offered {
  std::shared_ptr<PluginCode> code;
  std::string kind;
  std::string name;
};

const quarry_component& component_of(const Offered& offered, const quarry_entry& entry) {
  const auto* const end = entry.components + entry.component_count;
  const auto* const found = std::find_if(entry.components, end, [&](const auto* component) {
    return component->kind == offered.kind && component->name == offered.name;
  });
  return **found;  // check_entry() has compared them with the manifest
}

template <class Interface>
using Adapt = Result<std::shared_ptr<Interface>> (*)(std::shared_ptr<Instance>);

template <class Interface>
concept Deferrable = std::same_as<Interface, ResourceType> ||
    std::same_as<Interface, ModelProvider> || std::same_as<Interface, PricingCatalogue>;

/// Makes the component, for which its plugin is loaded.
template <class Interface>
Result<std::shared_ptr<Interface>> make_now(const Offered& offered, std::string_view json,
                                            Adapt<Interface> adapt) {
  auto module = offered.code->module();
  if (!module) return std::move(module.error());
  const auto& component = component_of(offered, (*module)->entry());
  auto instance = Instance::create(*module, component, (*module)->host(), json);
  if (!instance) return std::move(instance.error());
  (*module)->add_rights((*instance)->rights());
  return adapt(std::move(*instance));
}

/// Notes the facts of a component for the next start.
template <Deferrable Interface>
void note_facts(KnownDescriptions& known, const Offered& offered, std::string_view json,
                const Json& facts) {
  const std::string& plugin = offered.code->described_as();
  if (!plugin.empty()) known.add(plugin, offered.kind, offered.name, json, facts);
}

Error described_otherwise(const Offered& offered) {
  const std::string& id = offered.code->manifest().id;
  return {Code::kUnavailable,
          compose("plugin {} describes {} \"{}\" otherwise than at its last load", id, offered.kind,
                  offered.name),
          "start the host again, or reload its plugins: the new description is known now"};
}

/// The component with the facts of its last load, if they are known and the plugin is not loaded;
/// null otherwise. Its first use makes it and compares them.
template <Deferrable Interface>
std::shared_ptr<Interface> make_later(const std::shared_ptr<KnownDescriptions>& known,
                                      const Offered& offered, std::string_view json,
                                      Adapt<Interface> adapt) {
  if (offered.code->is_loaded()) return nullptr;
  const auto facts = known->find(offered.code->described_as(), offered.kind, offered.name, json);
  if (!facts) return nullptr;
  return deferred(*facts,
                  [known, offered, json = std::string(json), adapt,
                   facts = *facts]() -> Result<std::shared_ptr<Interface>> {
                    auto made = make_now(offered, json, adapt);
                    if (!made)
                      return unavailable_plugin(offered.code->manifest().id,
                                                std::move(made.error()));
                    const Json now = facts_of(**made);
                    if (now == facts) return made;
                    note_facts<Interface>(*known, offered, json, now);
                    return described_otherwise(offered);
                  });
}

class LoadedRegistry final : public Registry {
 public:
  explicit LoadedRegistry(RegistryOptions options)
      : options_(std::move(options)),
        rules_(PluginRules::of(options_)),
        loader_(options_),
        known_(std::make_shared<KnownDescriptions>(options_.descriptions)) {}

  /// `before`: the registry that this replaces; may be null.
  void load_all(const LoadedRegistry* before) {
    if (before != nullptr) before_ = before->codes_;
    is_reload_ = before != nullptr;
    auto found = find_wanted(options_);
    problems_ = std::move(found.problems);
    unusable_ = std::move(found.unusable);
    disabled_ = std::move(found.disabled);
    kinds_ = std::move(found.kinds);
    std::vector<std::shared_ptr<PluginCode>> deferred;
    std::vector<const Manifest*> others;
    for (const auto& manifest : found.manifests) {
      // A reload loads what is new at once, so that it can say whether that can be used.
      deferred.push_back(is_reload_ ? nullptr : loader_.defer(manifest, *known_));
      if (deferred.back() == nullptr) others.push_back(&manifest);
    }
    CopyAhead copies(others);
    for (std::size_t i = 0; i < found.manifests.size(); ++i) {
      const Manifest& manifest = found.manifests[i];
      auto loaded = deferred[i] ? start_later(manifest, std::move(deferred[i]))
                                : load_one(manifest, copies.next());
      if (!loaded) fail(manifest, std::move(loaded.error()));
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
  using Codes = std::map<std::string, std::shared_ptr<PluginCode>, std::less<>>;  // by id
  using Key = std::pair<std::string, std::string>;

  /// Plugins whose ids and components are taken.
  [[nodiscard]] std::vector<const Manifest*> taken() const {
    std::vector<const Manifest*> out;
    for (const auto& plugin : plugins_) out.push_back(&plugin);
    for (const auto& [code, opened] : starting_) out.push_back(&code->manifest());
    return out;
  }

  Status start_later(const Manifest& manifest, std::shared_ptr<PluginCode> code) {
    if (auto permitted = rules_.check(manifest, taken()); !permitted) return permitted;
    starting_.push_back({std::move(code), {}});
    return {};
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

  void add(std::shared_ptr<PluginCode> code) {
    for (const auto& [kind, name, schema, configuration, opt_in] : code->manifest().components) {
      if (!is_known_kind(kind)) continue;
      components_.insert_or_assign(Key(kind, name), Offered{code, kind, name});
    }
    plugins_.push_back(code->manifest());
    codes_.emplace(code->manifest().id, std::move(code));
  }

  void add_started() {
    for (auto& [code, opened] : std::exchange(starting_, {})) {
      auto outcome = opened.valid() ? opened.get() : Status();
      if (outcome) {
        add(std::move(code));
      } else {
        fail(code->manifest(), std::move(outcome.error()));
      }
    }
  }

  /// The plugin cannot be loaded: its code before stays in use, if there is any.
  void fail(const Manifest& manifest, Error error) {
    const auto before = before_.find(manifest.id);
    if (before != before_.end() && !codes_.contains(manifest.id) && may_stay(*before->second)) {
      error.message +=
          compose("; version {}, loaded before, stays in use", before->second->manifest().version);
      keep(before->second);
    } else {
      unusable_.push_back({manifest, error});
    }
    problems_.push_back(std::move(error));
  }

  [[nodiscard]] bool may_stay(const PluginCode& code) const {
    const auto& manifest = code.manifest();
    return rules_.is_isolated(manifest) != code.in_process() && rules_.check(manifest, taken());
  }

  void keep(const std::shared_ptr<PluginCode>& code) {
    add(code);
    changes_[code->manifest().id] = {.id = code->manifest().id,
                                     .version = code->manifest().version,
                                     .kind = PluginChange::Kind::kKept};
  }

  /// Plugins of before whose manifest is there and cannot be read: find_plugins has named the
  /// cause.
  void keep_unreadable() {
    for (const auto& [id, code] : before_) {
      const auto& manifest = code->manifest();
      if (codes_.contains(id) || is_disabled(options_, manifest) || changes_.contains(id)) continue;
      std::error_code failure;
      const bool there = std::filesystem::exists(manifest.path, failure) && !failure;
      if (!(there || starts_with_host(manifest)) || !is_wanted(manifest)) continue;
      if (!may_stay(*code)) continue;
      problems_.emplace_back(
          Code::kUnavailable,
          compose("plugin {} cannot be loaded again; version {}, loaded before, stays in use", id,
                  manifest.version),
          there ? "mend it, or remove it" : "restart the host to end its use");
      keep(code);
      std::erase_if(unusable_, [&](const auto& plugin) { return plugin.manifest.id == id; });
    }
  }
  [[nodiscard]] bool is_wanted(const Manifest& manifest) const {
    return !options_.wanted || options_.wanted(manifest, plugins_);
  }

  void note_changes() {
    if (!is_reload_) return;
    for (const auto& [id, code] : codes_) {
      const auto before = before_.find(id);
      const auto& version = code->manifest().version;
      if (before == before_.end()) {
        changes_[id] = {.id = id, .version = version};
      } else if (before->second != code) {
        changes_[id] = {.id = id,
                        .version = version,
                        .kind = PluginChange::Kind::kReplaced,
                        .before = before->second->manifest().version};
      }
    }
    for (const auto& [id, code] : before_) {
      if (codes_.contains(id)) continue;
      changes_[id] = {
          .id = id, .version = code->manifest().version, .kind = PluginChange::Kind::kRemoved};
    }
  }

  template <class Interface>
  Result<std::shared_ptr<Interface>> make(const char* kind, std::string_view name,
                                          std::string_view json, Adapt<Interface> adapt) {
    const auto offered = components_.find(Key(kind, name));
    if (offered == components_.end()) return nobody_offers(kind, name);
    auto made = make_from(offered->second, json, adapt);
    if (made) return made;
    const auto before = offered_before(offered->second);
    if (!before) return made;
    auto again = make_from(*before, json, adapt);
    if (again) go_back(before->code, made.error());
    return again ? std::move(again) : std::move(made);
  }

  template <class Interface>
  Result<std::shared_ptr<Interface>> make_from(const Offered& offered, std::string_view json,
                                               Adapt<Interface> adapt) {
    if constexpr (Deferrable<Interface>) {
      if (auto later = make_later(known_, offered, json, adapt)) return later;
    }
    auto made = make_now(offered, json, adapt);
    if constexpr (Deferrable<Interface>) {
      if (made) note_facts<Interface>(*known_, offered, json, facts_of(**made));
    }
    return made;
  }

  /// The component in the code of before, if that is other code.
  [[nodiscard]] std::optional<Offered> offered_before(const Offered& offered) const {
    const auto before = before_.find(offered.code->manifest().id);
    if (before == before_.end() || before->second == offered.code) return std::nullopt;
    const auto& manifest = before->second->manifest();
    if (find_component(manifest, offered.kind, offered.name) == nullptr) return std::nullopt;
    return Offered{before->second, offered.kind, offered.name};
  }

  /// Uses the code of before again for all components of the plugin.
  void go_back(const std::shared_ptr<PluginCode>& before, Error error) {
    const std::string id = before->manifest().id;
    const auto& replacing = codes_.at(id);
    std::erase_if(components_, [&](const auto& row) { return row.second.code == replacing; });
    std::erase_if(plugins_, [&](const Manifest& manifest) { return manifest.id == id; });
    codes_.erase(id);
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
  std::shared_ptr<KnownDescriptions> known_;
  Codes before_;  ///< until end_reload()
  Codes codes_;
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
