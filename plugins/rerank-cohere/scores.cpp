#include "rerank-cohere/scores.h"

#include "model_http/embedding_request.h"
#include "model_http/json_cursor.h"

#include <cstdint>
#include <optional>

namespace quarry::rerank_cohere {
namespace {

using model_http::JsonCursor;

constexpr std::int64_t kMostIndex = 1'000'000;

/// Reads one member of "results"; false when it has no index or no score.
bool take_result(JsonCursor& json, RerankSink& sink) {
  std::int64_t index = -1;
  std::optional<double> score;
  json.object([&](std::string_view key) {
    if (key == "index") {
      index = model_http::read_count(json);
    } else if (key == "relevance_score") {
      score = json.number();
    } else {
      json.skip();
    }
  });
  if (json.failed() || index < 0 || index > kMostIndex || !score) return false;
  sink.score(static_cast<std::uint32_t>(index), *score);
  return true;
}

}  // namespace

bool read_scores(std::string_view body, RerankSink& sink) {
  JsonCursor json(body);
  bool has_results = false;
  std::int64_t tokens = -1;
  json.object([&](std::string_view key) {
    if (key == "results") {
      has_results = true;
      json.array([&] {
        if (!take_result(json, sink)) json.fail();
      });
    } else if (key != "usage") {
      json.skip();
    } else if (!json.null()) {
      json.object([&](std::string_view count) {
        if (count != "total_tokens") return json.skip();
        tokens = model_http::read_count(json);
      });
    }
  });
  if (!json.finished() || !has_results) return false;
  if (tokens >= 0) sink.usage(tokens);
  return true;
}

}  // namespace quarry::rerank_cohere
