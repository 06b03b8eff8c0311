#pragma once

#include "model_http/request_options.h"

#include <cstdint>

#include <nlohmann/json.hpp>

namespace quarry::ollama {

/// What a user may set about the requests, beyond address and key.
struct Options {
  /// Ollama's own default silently cuts off prompts of the size that questions here have.
  static constexpr std::int64_t kUsualContext = 32'768;

  std::int64_t context_tokens = 0;  ///< what the model is loaded for; 0 = Ollama's default
  nlohmann::json think;             ///< true, false or a level; null = the model's own
  nlohmann::json keep_alive;        ///< how long it stays loaded: "10m" or seconds; null = default
  model_http::RequestOptions request;

  /// Takes all `members`; a failure names the one that is wrong.
  static Outcome<Options> read(nlohmann::json members);
};

/// JSON Schema of the provider's part of the configuration.
nlohmann::json schema();

}  // namespace quarry::ollama
