#pragma once

#include "corpus/query/encoder.h"
#include "plugins/embedding_provider.h"
#include "retrieval/provider_use.h"

#include <memory>

namespace quarry::retrieval {

/// An encoder that asks a provider: in several requests if there are many texts. Its identity is
/// "<component>/<model>", and the provider's variant after a space. kDataLoss for a response that
/// does not have one vector of finite values a text, or vectors of another dimension than the first
/// response. What `use` refers to must outlive it. Not used on the I/O thread, for which it waits.
std::shared_ptr<corpus::Encoder> make_encoder(std::shared_ptr<plugins::EmbeddingProvider> provider,
                                              ProviderUse use);

}  // namespace quarry::retrieval
