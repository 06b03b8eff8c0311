#pragma once

#include <quarry/draft/embedding.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace quarry::embedding_openai {

/// The floats of a vector in Base64, each of four bytes, the lowest first; nullopt when it is not
/// one.
std::optional<std::vector<float>> vector_of_base64(std::string_view text);

/// Writes the vectors and the usage of a response of /v1/embeddings to the sink; false when it is
/// not one. Takes vectors as arrays of numbers and as Base64, in any order.
bool read_vectors(std::string_view body, EmbeddingSink& sink);

}  // namespace quarry::embedding_openai
