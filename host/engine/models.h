#pragma once

#include "ask/question.h"
#include "engine/auto_model.h"
#include "engine/host_services.h"
#include "engine/model_listing.h"
#include "engine/model_sources.h"
#include "plugins/pricing_catalogue.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace quarry::engine {

/// The models of one configuration: all sources, the chosen model and its fallbacks. Immutable
/// except for data from listing models. Thread-safe. HostServices must outlive it.
class Models {
 public:
  /// Makes every provider and instance, and resolves "auto"; sends no HTTP request. ConfigError for
  /// options that their provider does not accept.
  static Result<std::shared_ptr<Models>> make(const config::Config& config,
                                              plugins::Registry& registry,
                                              HostServices& host_services);

  /// A model that questions use. `model` is empty while only the provider knows it.
  struct Choice {
    std::string provider;  ///< as configured: a provider or an instance
    std::string model;
  };
  /// ProviderNotFoundError or ProviderOptionsError if it cannot be asked.
  [[nodiscard]] Result<Choice> chosen() const;
  [[nodiscard]] std::vector<Choice> fallbacks() const;
  /// `source` with `model`, else with the provider's default, if known by now.
  [[nodiscard]] Choice choice(const ModelSource& source, std::string model) const;
  [[nodiscard]] const ModelSources& sources() const { return sources_; }
  [[nodiscard]] ModelListing& listing() { return listing_; }
  /// True if one of the models has a price.
  [[nodiscard]] bool costs() const;
  /// Asks the servers found by "auto" for their models until one has any. [worker]
  void settle_auto(const std::stop_token& stop) { static_cast<void>(settle(stop)); }
  /// Problems of instances and fallbacks that do not prevent an answer.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  /// Endpoints of all providers.
  [[nodiscard]] std::vector<services::Endpoint> endpoints() const;

  /// The chosen model and its fallbacks for one question, with today's rates. If no model is named
  /// and the provider has no default, its models are listed, once; context sizes are known for
  /// listed models only. ProviderNotConnectedError if the chosen one lacks a secret, or lists
  /// nothing and has no fallback. [worker]
  Result<std::vector<ask::Candidate>> candidates(const plugins::PricingCatalogues& pricing,
                                                 const std::stop_token& stop);

 private:
  struct Asked {
    const ModelSource* source = nullptr;
    std::string model;
    std::shared_ptr<ask::Model> asked;
  };

  Models(const config::Config& config, HostServices& host_services);
  void choose(const config::Config& config);
  /// `place`: position of the entry in the configuration; may be empty.
  void add_fallback(const std::string& entry, const std::string& place);
  [[nodiscard]] Result<const ModelSource*> find(std::string_view id) const;
  /// Loads the source's plugin if the I/O thread calls it. [worker]
  [[nodiscard]] Result<Asked> asked(const ModelSource& source, std::string model) const;
  /// The chosen model; for "auto" the first server that has a model, else the extractive one.
  Result<Asked> settle(const std::stop_token& stop);
  Result<std::string> name_of(const Asked& asked, const std::stop_token& stop);
  [[nodiscard]] ask::Candidate candidate(const Asked& asked, std::string model,
                                         const plugins::PricingCatalogues& pricing) const;

  HostServices& host_services_;
  const std::chrono::milliseconds idle_;
  ModelSources sources_;
  ModelListing listing_;
  std::vector<std::string> problems_;
  std::vector<Asked> fallbacks_;
  std::string auto_model_;  ///< model name configured with "auto"

  mutable std::mutex mutex_;  ///< guards the members below
  Result<Asked> chosen_ = Error{};
  std::vector<std::string> servers_;  ///< found by "auto", until one is known to have a model
};

}  // namespace quarry::engine
