#pragma once

#include "corpus/query/reranker.h"
#include "plugins/rerank_provider.h"
#include "retrieval/provider_use.h"

#include <memory>

namespace quarry::retrieval {

/// A reranker that asks a provider: in one request, or several with more documents than the
/// provider takes. kDataLoss for a response that does not have one finite score a document. What
/// `use` refers to must outlive it. Not used on the I/O thread, for which it waits.
std::shared_ptr<corpus::Reranker> make_reranker(std::shared_ptr<plugins::RerankProvider> provider,
                                                ProviderUse use);

}  // namespace quarry::retrieval
