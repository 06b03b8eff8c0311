#pragma once

#include "model-openai/vendor.h"
#include "model_http/request_options.h"

#include <string>

namespace quarry::openai {

enum class Api { kChat, kResponses };

/// Options of the requests that a user may set, besides address and key.
struct Options {
  Api api = Api::kChat;
  std::string reasoning_effort;  ///< empty = the model's default
  model_http::RequestOptions request;

  /// Reads `members`; `usual` is the default API. A failure names the member.
  static Outcome<Options> read(nlohmann::json members, Api usual);
  /// Token limit of a step for which the question allows `asked`; 0 = no limit.
  [[nodiscard]] std::int64_t most_tokens(std::int64_t asked) const {
    return request.max_output_tokens > 0 ? request.max_output_tokens : asked;
  }
};

/// JSON Schema for a vendor's part of the configuration.
nlohmann::json schema();

}  // namespace quarry::openai
