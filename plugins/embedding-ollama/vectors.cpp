#include "embedding-ollama/vectors.h"

#include "model_http/embedding_request.h"
#include "model_http/json_cursor.h"

#include <cstdint>

namespace quarry::embedding_ollama {

bool read_vectors(std::string_view body, EmbeddingSink& sink) {
  model_http::JsonCursor json(body);
  bool has_vectors = false;
  std::int64_t tokens = -1;
  std::uint32_t index = 0;
  const auto take_vector = [&] {
    if (const auto vector = model_http::read_vector(json)) sink.vector(index++, *vector);
  };
  json.object([&](std::string_view key) {
    if (key == "embeddings") {
      has_vectors = true;
      json.array(take_vector);
    } else if (key == "prompt_eval_count") {
      tokens = model_http::read_count(json);
    } else {
      json.skip();
    }
  });
  if (!json.finished() || !has_vectors) return false;
  if (tokens >= 0) sink.usage(tokens);
  return true;
}

}  // namespace quarry::embedding_ollama
