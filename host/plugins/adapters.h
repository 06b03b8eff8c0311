#pragma once

#include "base/error.h"
#include "plugins/analyser.h"
#include "plugins/embedding_provider.h"
#include "plugins/instance.h"
#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/rerank_provider.h"
#include "plugins/resource_type.h"
#include "plugins/store.h"
#include "plugins/transport.h"

#include <memory>

namespace quarry::plugins {

// Wrap the C table of an instance in the host's class. They read the description, once. kInternal
// if it is malformed. [control]
Result<std::shared_ptr<ResourceType>> adapt_resource(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<ModelProvider>> adapt_model(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<PricingCatalogue>> adapt_pricing(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<Analyser>> adapt_analyser(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<EmbeddingProvider>> adapt_embedding(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<RerankProvider>> adapt_rerank(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<Store>> adapt_store(std::shared_ptr<Instance> instance);
Result<std::shared_ptr<Transport>> adapt_transport(std::shared_ptr<Instance> instance);

}  // namespace quarry::plugins
