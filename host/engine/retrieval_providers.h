#pragma once

#include "base/error.h"
#include "config/config.h"
#include "corpus/query/encoder.h"
#include "corpus/query/reranker.h"
#include "engine/host_services.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/registry.h"
#include "services/endpoint.h"

#include <memory>
#include <vector>

namespace quarry::engine {

/// What [search] chooses for search by meaning. The services of the host must outlive it, and every
/// call of encoder and reranker ends before the history is destroyed.
struct RetrievalProviders {
  std::shared_ptr<corpus::Encoder> encoder;    ///< null: none is configured
  std::shared_ptr<corpus::Reranker> reranker;  ///< likewise
  std::vector<services::Endpoint> endpoints;   ///< of their providers
  bool costs = false;                          ///< one of them has a price
  std::vector<std::string> problems;           ///< of providers that cannot be used, and are null
};

/// Makes the configured ones; sends no HTTP request. ConfigError, with its place, for a provider
/// that no plugin offers and for options that it does not accept. One whose plugin cannot be used
/// is a problem. Uses the registry.
Result<RetrievalProviders> make_retrieval_providers(const config::Config& config,
                                                    plugins::Registry& registry,
                                                    const plugins::PricingCatalogues& pricing,
                                                    HostServices& host_services);

}  // namespace quarry::engine
