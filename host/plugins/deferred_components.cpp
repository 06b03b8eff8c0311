#include "plugins/deferred_components.h"

#include "plugins/json_members.h"

#include <mutex>
#include <optional>
#include <utility>

namespace quarry::plugins {
namespace {

/// A component that its first use makes. Thread-safe.
template <class Interface>
class MadeOnUse {
 public:
  explicit MadeOnUse(MakeComponent<Interface> make) : make_(std::move(make)) {}

  const Result<std::shared_ptr<Interface>>& get() const {
    const std::lock_guard lock(mutex_);
    if (!made_) made_ = std::exchange(make_, nullptr)();
    return *made_;
  }
  /// Null unless it was tried and cannot be made. Valid as long as this.
  [[nodiscard]] const Error* failure() const {
    const std::lock_guard lock(mutex_);
    return made_ && !*made_ ? &made_->error() : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  mutable MakeComponent<Interface> make_;
  mutable std::optional<Result<std::shared_ptr<Interface>>> made_;
};

class DeferredType final : public ResourceType {
 public:
  DeferredType(ResourceDescription description, MakeComponent<ResourceType> make)
      : description_(std::move(description)), type_(std::move(make)) {}

  [[nodiscard]] const ResourceDescription& describe() const override { return description_; }
  [[nodiscard]] const Error* unusable() const override { return type_.failure(); }
  Result<Json> normalise(const services::Call& call, const Json& resource) override {
    const auto& type = type_.get();
    return type ? (*type)->normalise(call, resource) : type.error();
  }
  Result<ResourceVersion> resolve(const services::Call& call, const Json& resource,
                                  const LastSnapshot& last) override {
    const auto& type = type_.get();
    return type ? (*type)->resolve(call, resource, last) : type.error();
  }
  Result<ResourceMetadata> fetch(const services::Call& call, const Json& resource,
                                 const ResourceVersion& version, const LastSnapshot& last,
                                 Tree& tree) override {
    const auto& type = type_.get();
    return type ? (*type)->fetch(call, resource, version, last, tree) : type.error();
  }
  Result<std::optional<Recognised>> parse_reference(const services::Call& call,
                                                    std::string_view reference) override {
    const auto& type = type_.get();
    return type ? (*type)->parse_reference(call, reference) : type.error();
  }

 private:
  const ResourceDescription description_;
  const MadeOnUse<ResourceType> type_;
};

class DeferredProvider final : public ModelProvider {
 public:
  DeferredProvider(ModelDescription description, Form form, bool at_once,
                   MakeComponent<ModelProvider> make)
      : description_(std::move(description)),
        form_(form),
        at_once_(at_once),
        provider_(std::move(make)) {}

  [[nodiscard]] const ModelDescription& describe() const override { return description_; }
  [[nodiscard]] Form form() const override { return form_; }
  [[nodiscard]] bool is_called_at_once() const override { return at_once_; }
  Status prepare() override {
    const auto& provider = provider_.get();
    return provider ? (*provider)->prepare() : provider.error();
  }
  void generate(const services::Call& call, std::string_view chat_request,
                ModelSink& sink) override {
    const auto& provider = provider_.get();
    if (provider) return (*provider)->generate(call, chat_request, sink);
    sink.error({.code = provider.error().code, .message = provider.error().message});
  }
  Result<std::unique_ptr<ModelExchange>> begin(std::string_view chat_request,
                                               const std::string& project) override {
    const auto& provider = provider_.get();
    if (!provider) return provider.error();
    return (*provider)->begin(chat_request, project);
  }
  Result<std::vector<ModelInfo>> models(const services::Call& call) override {
    const auto& provider = provider_.get();
    return provider ? (*provider)->models(call) : provider.error();
  }

 private:
  const ModelDescription description_;
  const Form form_;
  const bool at_once_;
  const MadeOnUse<ModelProvider> provider_;
};

class DeferredCatalogue final : public PricingCatalogue {
 public:
  explicit DeferredCatalogue(MakeComponent<PricingCatalogue> make) : catalogue_(std::move(make)) {}

  Result<std::optional<ModelRates>> rates(std::string_view provider,
                                          std::string_view model) override {
    const auto& catalogue = catalogue_.get();
    return catalogue ? (*catalogue)->rates(provider, model) : catalogue.error();
  }
  Result<Refreshed> refresh(const services::Call& call) override {
    const auto& catalogue = catalogue_.get();
    return catalogue ? (*catalogue)->refresh(call) : catalogue.error();
  }

 private:
  const MadeOnUse<PricingCatalogue> catalogue_;
};

/// The kind of the facts, so that those of another kind or of an older host are not used.
bool has_kind(const Json& facts, std::string_view kind) {
  return facts.is_object() && string_member(facts, "facts") == kind;
}

constexpr const char* kTypeFacts = "type";
constexpr const char* kProviderFacts = "provider";
constexpr const char* kCatalogueFacts = "catalogue";

}  // namespace

Json facts_of(const ResourceType& type) {
  const ResourceDescription& described = type.describe();
  return {{"facts", kTypeFacts},
          {"type", described.type},
          {"title", described.title},
          {"schema", described.schema},
          {"examples", described.examples},
          {"inPlace", described.in_place},
          {"plugin", described.plugin}};
}

std::shared_ptr<ResourceType> deferred(const Json& facts, MakeComponent<ResourceType> make) {
  if (!has_kind(facts, kTypeFacts)) return nullptr;
  return std::make_shared<DeferredType>(
      ResourceDescription{.type = string_member(facts, "type"),
                          .title = string_member(facts, "title"),
                          .schema = string_member(facts, "schema"),
                          .examples = strings_member(facts, "examples"),
                          .in_place = bool_member(facts, "inPlace"),
                          .plugin = string_member(facts, "plugin")},
      std::move(make));
}

Json facts_of(const ModelProvider& provider) {
  const ModelDescription& described = provider.describe();
  return {{"facts", kProviderFacts},
          {"title", described.title},
          {"schema", described.schema},
          {"needs", described.needs},
          {"local", described.local},
          {"vendor", described.vendor},
          {"endpoint", described.endpoint},
          {"defaultModel", described.default_model},
          {"generates", provider.form() == ModelProvider::Form::kGenerate},
          {"atOnce", provider.is_called_at_once()}};
}

std::shared_ptr<ModelProvider> deferred(const Json& facts, MakeComponent<ModelProvider> make) {
  if (!has_kind(facts, kProviderFacts)) return nullptr;
  using Form = ModelProvider::Form;
  return std::make_shared<DeferredProvider>(
      ModelDescription{.title = string_member(facts, "title"),
                       .schema = string_member(facts, "schema"),
                       .needs = strings_member(facts, "needs"),
                       .local = bool_member(facts, "local"),
                       .vendor = string_member(facts, "vendor"),
                       .endpoint = string_member(facts, "endpoint"),
                       .default_model = string_member(facts, "defaultModel")},
      bool_member(facts, "generates") ? Form::kGenerate : Form::kExchange,
      bool_member(facts, "atOnce"), std::move(make));
}

Json facts_of(const PricingCatalogue&) {
  return {{"facts", kCatalogueFacts}};
}

std::shared_ptr<PricingCatalogue> deferred(const Json& facts,
                                           MakeComponent<PricingCatalogue> make) {
  if (!has_kind(facts, kCatalogueFacts)) return nullptr;
  return std::make_shared<DeferredCatalogue>(std::move(make));
}

}  // namespace quarry::plugins
