#pragma once

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

namespace quarry::runner {

/// Tables of embedding and rerank providers in a runner; instances are RemoteInstance*.
extern const quarry_embedding_v1 kRemoteEmbedding;
extern const quarry_rerank_v1 kRemoteRerank;

}  // namespace quarry::runner
