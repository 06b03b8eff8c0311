#pragma once

#include "model_http/request_options.h"

#include <cstdint>

#include <nlohmann/json.hpp>

namespace quarry::ollama {

/// Options of the requests that a user may set, besides address and key.
struct Options {
  /// Ollama's own default silently truncates prompts of our size.
  static constexpr std::int64_t kUsualContext = 32'768;

  std::int64_t context_tokens = 0;  ///< for loading the model; 0 = Ollama's default
  nlohmann::json think;             ///< true, false or a level; null = the model's default
  nlohmann::json keep_alive;  ///< time the model stays loaded: "10m" or seconds; null = default
  model_http::RequestOptions request;

  /// Reads all `members`; a failure names the invalid one.
  static Outcome<Options> read(nlohmann::json members);
};

/// JSON Schema for the provider's part of the configuration.
nlohmann::json schema();

}  // namespace quarry::ollama
