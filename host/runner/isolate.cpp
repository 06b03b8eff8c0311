#include "runner/isolate.h"

#include "runner/functions.h"
#include "runner/remote_exchange_table.h"
#include "runner/remote_instance.h"
#include "runner/remote_model.h"
#include "runner/remote_resource.h"
#include "runner/sink_functions.h"

#include <quarry/draft/store.h>
#include <quarry/outcome.hpp>
#include <quarry/transport.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace quarry::runner {
namespace {

/// A component of the plugin as the host calls it.
struct RemoteComponent {
  quarry_component component;
  quarry_resource_v1 resource;
  quarry_model_v1 model;
  quarry_pricing_v1 pricing;
  quarry_symbols_v1 symbols;
  quarry_embedding_v1 embedding;
  quarry_rerank_v1 rerank;
};

/// Without the functions that the plugin lacks; `present` has the bits of the others.
const void* fill_table(RemoteComponent& remote, std::string_view kind, std::uint32_t present) {
  remote.resource = remote_resource();
  remote.model = remote_model();
  remote.pricing = PricingFunctions::remote();
  remote.symbols = SymbolsFunctions::remote();
  remote.embedding = EmbeddingFunctions::remote();
  remote.rerank = RerankFunctions::remote();
  RemoteExchangeTable<EmbeddingSink>::add_to(remote.embedding);
  RemoteExchangeTable<RerankSink>::add_to(remote.rerank);
  ResourceFunctions::leave_out(remote.resource, present);
  ModelFunctions::leave_out(remote.model, present);
  PricingFunctions::leave_out(remote.pricing, present);
  if ((present & kHasGenerate) == 0) remote.model.generate = nullptr;
  if (kind == QUARRY_MODEL) return &remote.model;
  if (kind == QUARRY_PRICING) return &remote.pricing;
  if (kind == QUARRY_SYMBOLS) return &remote.symbols;
  if (kind == QUARRY_EMBEDDING) return &remote.embedding;
  if (kind == QUARRY_RERANK) return &remote.rerank;
  return &remote.resource;
}

/// True for an unknown kind too, whose components are not used.
bool may_be_isolated(std::string_view kind) {
  return kind != QUARRY_TRANSPORT && kind != QUARRY_STORE;
}

class IsolatedModule final : public plugins::Module {
 public:
  IsolatedModule(const plugins::Manifest& manifest, const RunnerOptions& options)
      : runner_(manifest, options),
        deferred_(options.io == nullptr ? nullptr : &runner::deferred_models()),
        components_(runner_.manifest().components.size()) {
    for (const auto& component : components_) pointers_.push_back(&component.component);
    entry_ = {.struct_size = sizeof(quarry_entry),
              .abi_major = manifest.built_for.major,
              .abi_minor = manifest.built_for.minor,
              .minimum_host_minor = manifest.minimum.minor,
              .id = runner_.manifest().id.c_str(),
              .version = runner_.manifest().version.c_str(),
              .open = nullptr,
              .close = nullptr,
              .component_count = static_cast<std::uint32_t>(pointers_.size()),
              .components = pointers_.data()};
  }

  [[nodiscard]] const plugins::Manifest& manifest() const override { return runner_.manifest(); }
  [[nodiscard]] const quarry_entry& entry() const override { return entry_; }

  [[nodiscard]] bool in_process() const override { return false; }
  [[nodiscard]] plugins::DeferredModels* deferred_models() override { return deferred_; }

  [[nodiscard]] Status ready() override { return runner_.ready(); }

  Status open(const quarry_host& host) override {
    runner_.offer(host);
    const auto running = runner_.shared();
    if (!running) return running.error();
    for (std::size_t i = 0; i < components_.size(); ++i) {
      fill(components_[i], runner_.manifest().components[i],
           (*running)->connection().components()[i]);
    }
    return {};
  }

  void create(const quarry_component& component, const quarry_host&, const quarry_call* call,
              quarry_text configuration, void** instance, const quarry_reply* reply) override {
    const auto place = std::ranges::find(pointers_, &component) - pointers_.begin();
    auto made = std::make_unique<RemoteInstance>(runner_, static_cast<std::uint32_t>(place),
                                                 as_view(configuration));
    const auto created = made->create(call);
    if (!created) return reply_error(reply, created.error());
    if (created->succeeded()) *instance = made.release();
    created->replay(reply);
  }

 private:
  static void fill(RemoteComponent& remote, const plugins::ManifestComponent& listed,
                   const Connection::Component& reported) {
    remote.component = {
        .struct_size = sizeof(quarry_component),
        .flags = reported.flags,
        .kind = listed.kind.c_str(),
        .name = listed.name.c_str(),
        .table = fill_table(remote, listed.kind, reported.functions),
        .create = nullptr,
        .destroy = [](void* instance) { delete static_cast<RemoteInstance*>(instance); }};
  }

  Runner runner_;
  plugins::DeferredModels* const deferred_;
  std::vector<RemoteComponent> components_;
  std::vector<const quarry_component*> pointers_;
  quarry_entry entry_;
};

}  // namespace

Status check_isolatable(const plugins::Manifest& manifest) {
  for (const auto& component : manifest.components) {
    if (may_be_isolated(component.kind)) continue;
    return Error(Code::kUnsupported,
                 "plugin " + manifest.id + " cannot be isolated: its component \"" +
                     component.name + "\" of kind " + component.kind + " must run in the host",
                 "if you trust its code, set \"" + manifest.id +
                     "\" = \"none\" in [plugins.isolation] of the configuration");
  }
  return {};
}

Result<std::shared_ptr<plugins::Module>> isolate(const plugins::Manifest& manifest,
                                                 const RunnerOptions& options) {
  if (auto may = check_isolatable(manifest); !may) return std::move(may.error());
  return std::make_shared<IsolatedModule>(manifest, options);
}

}  // namespace quarry::runner
