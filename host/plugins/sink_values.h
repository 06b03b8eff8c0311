#pragma once

#include "base/code_names.h"
#include "base/utf8.h"
#include "plugins/exchange.h"

#include <quarry/limits.h>
#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <optional>

namespace quarry::plugins {

// Values that a plugin passes to a sink; nothing if they are null or too short.

inline std::optional<Usage> read_usage(const quarry_usage* said) {
  if (said == nullptr || !QUARRY_HAS(said, cache_write_tokens)) return std::nullopt;
  return Usage{.input = said->input_tokens,
               .output = said->output_tokens,
               .reasoning = said->reasoning_tokens,
               .cache_read = said->cache_read_tokens,
               .cache_write = said->cache_write_tokens};
}

inline std::optional<ModelError> read_error(const quarry_model_error* said) {
  if (said == nullptr || !QUARRY_HAS(said, message)) return std::nullopt;
  return ModelError{
      .code = code_of_status(said->status),
      .http_status = said->http_status,
      .retry_after_ms = said->retry_after_ms,
      .message = to_utf8(as_view(said->message).substr(0, QUARRY_LIMIT_MODEL_MESSAGE))};
}

}  // namespace quarry::plugins
