#pragma once

#include "plugins/model_provider.h"
#include "plugins/registry.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace quarry::engine::testing {

inline plugins::ModelDescription needing(std::vector<std::string> secrets) {
  plugins::ModelDescription out;
  out.needs = std::move(secrets);
  return out;
}
inline plugins::ModelDescription serving(std::string endpoint) {
  plugins::ModelDescription out;
  out.local = true;
  out.endpoint = std::move(endpoint);
  return out;
}
inline plugins::ModelDescription taking(std::string schema) {
  plugins::ModelDescription out;
  out.schema = std::move(schema);
  return out;
}

/// A provider with a description and a list of models from the test.
class FakeProvider final : public plugins::ModelProvider {
 public:
  using List = std::function<Result<std::vector<plugins::ModelInfo>>(const services::Call&)>;

  explicit FakeProvider(plugins::ModelDescription described, List list = {})
      : described_(std::move(described)), list_(std::move(list)) {}
  const plugins::ModelDescription& describe() const override { return described_; }
  Form form() const override { return Form::kExchange; }
  void generate(const services::Call&, std::string_view, plugins::ModelSink&) override {}
  Result<std::unique_ptr<plugins::ModelExchange>> begin(std::string_view,
                                                        const std::string&) override {
    return Error{Code::kUnsupported, "a fake"};
  }
  Result<std::vector<plugins::ModelInfo>> models(const services::Call& call) override {
    if (list_) return list_(call);
    return Error{Code::kUnsupported, "no list"};
  }

 private:
  const plugins::ModelDescription described_;
  const List list_;
};

/// A registry of model providers only, each made by a function of the test.
class FakeRegistry final : public plugins::Registry {
 public:
  using Made = Result<std::shared_ptr<plugins::ModelProvider>>;

  std::map<std::string, std::function<Made(const std::string& json)>, std::less<>> providers;

  std::unique_ptr<plugins::Registry> reload(plugins::RegistryOptions) const override { return {}; }
  std::vector<plugins::PluginChange> changes() const override { return {}; }
  void end_reload() override {}
  const std::vector<plugins::Manifest>& plugins() const override { return plugins_; }
  const std::vector<Error>& problems() const override { return problems_; }
  const std::vector<plugins::UnusablePlugin>& unusable() const override { return unusable_; }
  bool is_offered(std::string_view) const override { return false; }
  std::vector<std::string> names(std::string_view) const override {
    std::vector<std::string> out;
    for (const auto& [name, make] : providers) out.push_back(name);
    return out;
  }
  Made make_model_provider(std::string_view name, std::string_view json) override {
    return providers.find(name)->second(std::string(json));
  }
  Result<std::shared_ptr<plugins::ResourceType>> make_resource_type(std::string_view,
                                                                    std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::PricingCatalogue>> make_pricing(std::string_view,
                                                                  std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::Analyser>> make_analyser(std::string_view,
                                                           std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::EmbeddingProvider>> make_embedding(std::string_view,
                                                                     std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::RerankProvider>> make_rerank(std::string_view,
                                                               std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::Store>> make_store(std::string_view, std::string_view) override {
    return none();
  }
  Result<std::shared_ptr<plugins::Transport>> make_transport(std::string_view,
                                                             std::string_view) override {
    return none();
  }

 private:
  static Error none() { return {Code::kNotFound, "there is none"}; }

  std::vector<plugins::Manifest> plugins_;
  std::vector<Error> problems_;
  std::vector<plugins::UnusablePlugin> unusable_;
};

}  // namespace quarry::engine::testing
