#pragma once

#include <quarry/draft/rerank.hpp>

#include <string_view>

namespace quarry::rerank_cohere {

/// Writes the scores and the usage of a response of /rerank to the sink; false when it is not one.
/// Usage is that of Jina and llama.cpp; Cohere bills searches, not tokens.
bool read_scores(std::string_view body, RerankSink& sink);

}  // namespace quarry::rerank_cohere
