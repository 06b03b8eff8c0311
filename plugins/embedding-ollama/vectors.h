#pragma once

#include <quarry/draft/embedding.hpp>

#include <string_view>

namespace quarry::embedding_ollama {

/// Writes the vectors and the usage of a response of /api/embed to the sink; false when it is not
/// one.
bool read_vectors(std::string_view body, EmbeddingSink& sink);

}  // namespace quarry::embedding_ollama
