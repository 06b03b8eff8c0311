#pragma once

#include "model_http/json_cursor.h"

#include <quarry/outcome.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::model_http {

/// Options common to the embedding providers.
struct EmbeddingOptions {
  std::int64_t dimensions = 0;  ///< 0 = the model's own
  std::int64_t batch = 64;      ///< texts of one request
  std::string query_prefix;     ///< before the text of a search
  std::string passage_prefix;   ///< before a text that is searched

  /// Removes them from `members`; a failure names the first invalid or unknown member.
  static Outcome<EmbeddingOptions> take(nlohmann::json members);
  /// For describe: empty without options that change the vectors.
  [[nodiscard]] std::string variant() const;
};

/// The request of <quarry/draft/embedding.h>.
struct EmbeddingRequest {
  std::string model;
  std::vector<std::string> texts;  ///< with their prefix

  /// QUARRY_INVALID_ARGUMENT when it violates the contract.
  static Outcome<EmbeddingRequest> read(std::string_view json, const EmbeddingOptions& options);
};

/// Reads the next value as a count of tokens; -1 if it is null or cannot be one.
std::int64_t read_count(JsonCursor& json);

/// Reads the next value as an array of numbers that fit a float; nullopt otherwise.
std::optional<std::vector<float>> read_vector(JsonCursor& json);

}  // namespace quarry::model_http
