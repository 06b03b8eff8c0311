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

/// The models of one configuration: which there are, which is asked, which stand in for it.
/// Immutable but for what is learnt from listing models. Thread-safe. HostServices must outlive it.
class Models {
 public:
  /// Makes every provider and instance, and decides what "auto" means; asks nothing over HTTP.
  /// ConfigError for options that their provider does not take.
  static Result<std::shared_ptr<Models>> make(const config::Config& config,
                                              HostServices& host_services);

  /// One that questions are asked of. The model is empty while only the provider knows it.
  struct Choice {
    std::string provider;  ///< as configured: a provider or an instance
    std::string model;
  };
  /// ProviderNotFoundError or ProviderOptionsError when it cannot be.
  [[nodiscard]] Result<Choice> chosen() const;
  [[nodiscard]] std::vector<Choice> fallbacks() const;
  /// `source` with `model`, or else the provider's default as far as it is known by now.
  [[nodiscard]] Choice choice(const ModelSource& source, std::string model) const;
  [[nodiscard]] const ModelSources& sources() const { return sources_; }
  [[nodiscard]] ModelListing& listing() { return listing_; }
  /// Whether one of them has a price.
  [[nodiscard]] bool costs() const;
  /// Finds out which of the servers that "auto" found has a model; nothing else is asked. [worker]
  void settle_auto(const std::stop_token& stop) { static_cast<void>(settle(stop)); }
  /// What is wrong with instances and fallbacks; nothing of it prevents an answer.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  /// Where providers are asked.
  [[nodiscard]] std::vector<services::Endpoint> endpoints() const;

  /// The chosen model and its fallbacks for one question, with today's rates. Where no model is
  /// named and the provider has no default, its models are listed, once; context sizes are known of
  /// listed models alone. ProviderNotConnectedError
  /// when the chosen one lacks a secret, or lists nothing and has no fallback. [worker]
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
  /// `place` is where the entry stands; may be empty.
  void add_fallback(const std::string& entry, const std::string& place);
  [[nodiscard]] Result<const ModelSource*> find(std::string_view id) const;
  [[nodiscard]] Asked asked(const ModelSource& source, std::string model) const;
  /// The chosen one; of the servers of "auto" the first that has a model, else the extractive one.
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
  std::string auto_model_;  ///< the model that is named beside "auto"

  mutable std::mutex mutex_;  ///< guards what follows
  Result<Asked> chosen_ = Error{};
  std::vector<std::string> servers_;  ///< of "auto", until one of them is known to have a model
};

}  // namespace quarry::engine
