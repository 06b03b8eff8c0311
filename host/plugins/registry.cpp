#include "plugins/registry.h"

#include "base/text.h"
#include "plugins/adapters.h"
#include "plugins/compose.h"
#include "plugins/module.h"
#include "plugins/plugin_rules.h"
#include "plugins/probe.h"
#include "plugins/probed_list.h"

#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <ranges>
#include <stop_token>
#include <thread>

namespace quarry::plugins {
namespace {

/// Host table for one plugin, and the plugin's code, which is destroyed first.
class HostedModule final : public Module {
 public:
  HostedModule(std::shared_ptr<Module> module, FindService find, std::string version)
      : find_(std::move(find)), version_(std::move(version)), module_(std::move(module)) {
    host_ = {.struct_size = sizeof(quarry_host),
             .abi_major = QUARRY_ABI_MAJOR,
             .abi_minor = QUARRY_ABI_MINOR,
             .context = this,
             .version = {version_.data(), version_.size()},
             .service = [](const quarry_host* self, const char* id) -> const void* {
               const auto& find_service = static_cast<HostedModule*>(self->context)->find_;
               return find_service && id != nullptr ? find_service(id) : nullptr;
             },
             .open_call =
                 [](const quarry_host* self, const quarry_call* parent, std::int64_t timeout_ms,
                    quarry_status (*state)(void*), void* state_context) noexcept {
                   const auto& hosted = *static_cast<HostedModule*>(self->context);
                   return services::open_call({.parent = parent,
                                               .limit = std::chrono::milliseconds(timeout_ms),
                                               .state = state,
                                               .context = state_context,
                                               .rights = hosted.rights()});
                 },
             .close_call = [](const quarry_host*,
                              const quarry_call* call) noexcept { services::close_call(call); }};
  }
  [[nodiscard]] const Manifest& manifest() const override { return module_->manifest(); }
  [[nodiscard]] const quarry_entry& entry() const override { return module_->entry(); }
  [[nodiscard]] bool in_process() const override { return module_->in_process(); }
  Status open(const quarry_host& host) override { return module_->open(host); }
  void create(const quarry_component& component, const quarry_host& host, const quarry_call* call,
              quarry_text configuration, void** instance, const quarry_reply* reply) override {
    module_->create(component, host, call, configuration, instance, reply);
  }
  [[nodiscard]] const quarry_host& host() const { return host_; }
  /// Adds the rights of an instance to those of the plugin's jobs and loops. [any]
  void add_rights(const CallRights& rights) {
    const std::lock_guard lock(mutex_);
    rights_.add(rights);
  }
  [[nodiscard]] CallRights rights() const {
    const std::lock_guard lock(mutex_);
    return rights_;
  }

 private:
  FindService find_;
  std::string version_;
  quarry_host host_;
  mutable std::mutex mutex_;
  CallRights rights_;
  std::shared_ptr<Module> module_;
};

/// Copies and checks modules on a separate thread while earlier ones are loaded, and on the loading
/// thread while it would otherwise wait, which keeps two cores busy.
class CopyAhead {
 public:
  /// `manifests` must outlive this.
  explicit CopyAhead(const std::vector<Manifest>& manifests)
      : manifests_(manifests),
        copies_(manifests.size()),
        thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested() && copy_one()) {
          }
        }) {}
  /// Result of copy_module for the next manifest.
  Result<PrivateCopy> next() {
    auto copy = copies_[given_++].get_future();
    while (copy.wait_for(std::chrono::seconds(0)) != std::future_status::ready && copy_one()) {
    }
    return copy.get();
  }

 private:
  /// Copies the next module; false if none was left.
  bool copy_one() {
    const std::size_t mine = taken_++;
    if (mine >= manifests_.size()) return false;
    copies_[mine].set_value(copy_module(manifests_[mine]));
    return true;
  }

  const std::vector<Manifest>& manifests_;
  std::vector<std::promise<Result<PrivateCopy>>> copies_;
  std::atomic<std::size_t> taken_ = 0;
  std::size_t given_ = 0;
  std::jthread thread_;
};

PluginRules rules_of(const RegistryOptions& options) {
  const auto own = options.directories | std::views::take(options.own_directories);
  return {.own_directories = {own.begin(), own.end()},
          .drafts = options.drafts,
          .pinned = options.pinned};
}

class LoadedRegistry final : public Registry {
 public:
  explicit LoadedRegistry(RegistryOptions options)
      : options_(std::move(options)), rules_(rules_of(options_)), probed_(options_.probed_list) {}

  void load_all() {
    auto found = find_plugins(options_.directories, options_.installed_directory);
    problems_ = std::move(found.problems);
    std::erase_if(found.manifests, [&](const Manifest& manifest) {
      return std::ranges::find(options_.disabled, manifest.id) != options_.disabled.end();
    });
    if (options_.wanted) {
      const auto all = found.manifests;
      std::erase_if(found.manifests,
                    [&](const Manifest& manifest) { return !options_.wanted(manifest, all); });
    }
    CopyAhead copies(found.manifests);
    for (const auto& manifest : found.manifests) {
      if (auto loaded = load_one(manifest, copies.next()); !loaded) {
        problems_.push_back(loaded.error());
      }
    }
    add_started();
  }

  [[nodiscard]] const std::vector<Manifest>& plugins() const override { return plugins_; }
  [[nodiscard]] const std::vector<Error>& problems() const override { return problems_; }
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
  Result<std::shared_ptr<Store>> make_store(std::string_view name, std::string_view json) override {
    return make(QUARRY_STORE, name, json, adapt_store);
  }
  Result<std::shared_ptr<Transport>> make_transport(std::string_view name,
                                                    std::string_view json) override {
    return make(QUARRY_TRANSPORT, name, json, adapt_transport);
  }

 private:
  struct Offered {
    std::shared_ptr<HostedModule> module;
    const quarry_component* component;
  };
  /// A plugin in a process of its own that is being started.
  struct Starting {
    std::shared_ptr<HostedModule> module;
    std::future<Status> opened;
  };
  using Key = std::pair<std::string, std::string>;

  /// Plugins whose ids and components are taken.
  [[nodiscard]] std::vector<const Manifest*> taken() const {
    std::vector<const Manifest*> out;
    for (const auto& plugin : plugins_) out.push_back(&plugin);
    for (const auto& [hosted, opened] : starting_) out.push_back(&hosted->manifest());
    return out;
  }

  Status probe_once(const Manifest& manifest) {
    if (options_.probe_command.empty() || probed_.contains(manifest.sha256)) return {};
    auto probed = probe(manifest, options_.probe_command, options_.probe_limit);
    if (probed) probed_.add(manifest.sha256);
    return probed;
  }

  Status load_one(const Manifest& manifest, Result<PrivateCopy> copy) {
    if (auto permitted = rules_.check(manifest, taken()); !permitted) return permitted;
    if (!copy) return std::move(copy.error());
    const bool may_share = rules_.is_own(manifest) || !options_.isolate;
    if (is_isolated(manifest, options_.isolation, may_share)) return isolate(manifest);
    if (auto probed = probe_once(manifest); !probed) return probed;
    auto module = load_module(manifest, std::move(*copy));
    if (!module) return std::move(module.error());
    return offer(std::move(*module));
  }

  Status isolate(const Manifest& manifest) {
    if (!options_.isolate) {
      return Error(Code::kUnsupported,
                   compose("plugin {} asks for isolation = \"process\", which is not possible here",
                           manifest.id),
                   "use a host that can start programs");
    }
    auto module = options_.isolate(manifest);
    if (!module) return std::move(module.error());
    return offer(std::move(*module));
  }

  Status offer(std::shared_ptr<Module> module) {
    auto find = options_.services ? options_.services(module->manifest()) : FindService();
    auto hosted =
        std::make_shared<HostedModule>(std::move(module), std::move(find), options_.host_version);
    const auto open = [hosted] { return hosted->open(hosted->host()); };
    if (!hosted->in_process()) {
      starting_.push_back({hosted, std::async(std::launch::async, open)});
      return {};
    }
    if (auto opened = open(); !opened) return opened;
    add(std::move(hosted));
    return {};
  }

  void add(std::shared_ptr<HostedModule> hosted) {
    const auto& entry = hosted->entry();
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      const auto* component = entry.components[i];
      components_.emplace(Key(component->kind, component->name), Offered{hosted, component});
    }
    plugins_.push_back(hosted->manifest());
  }

  void add_started() {
    for (auto& [hosted, opened] : starting_) {
      if (auto outcome = opened.get(); !outcome) {
        problems_.push_back(std::move(outcome.error()));
      } else {
        add(std::move(hosted));
      }
    }
    starting_.clear();
  }

  template <class Type>
  Result<Type> make(const char* kind, std::string_view name, std::string_view json,
                    Result<Type> (*adapt)(std::shared_ptr<Instance>)) {
    const auto offered = components_.find(Key(kind, name));
    if (offered == components_.end()) return nobody_offers(kind, name);
    const auto& [module, component] = offered->second;
    auto instance = Instance::create(module, *component, module->host(), json);
    if (!instance) return std::move(instance.error());
    module->add_rights((*instance)->rights());
    return adapt(std::move(*instance));
  }

  [[nodiscard]] Error nobody_offers(const char* kind, std::string_view name) const {
    const auto known = names(kind);
    const auto near = nearest(name, known);
    return {Code::kNotFound, compose("no plugin offers {} \"{}\"", kind, name),
            near ? compose("did you mean \"{}\"?", *near) : "there is: " + join(known, ", ")};
  }

  RegistryOptions options_;
  PluginRules rules_;
  ProbedList probed_;
  std::vector<Manifest> plugins_;
  std::vector<Error> problems_;
  std::map<Key, Offered> components_;
  std::vector<Starting> starting_;
};

}  // namespace

bool is_isolated(const Manifest& manifest, const std::map<std::string, std::string>& chosen,
                 bool came_with_host) {
  const auto choice = chosen.find(manifest.id);
  if (choice != chosen.end()) return choice->second == "process";
  return manifest.isolation == "process" || !came_with_host;
}

std::unique_ptr<Registry> Registry::load(RegistryOptions options) {
  auto registry = std::make_unique<LoadedRegistry>(std::move(options));
  registry->load_all();
  return registry;
}

}  // namespace quarry::plugins
