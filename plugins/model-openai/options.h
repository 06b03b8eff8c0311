#pragma once

#include "model-openai/vendor.h"
#include "model_http/request_options.h"

#include <string>

namespace quarry::openai {

enum class Api { kChat, kResponses };

/// What a user may set about the requests, beyond address and key.
struct Options {
  Api api = Api::kChat;
  std::string reasoning_effort;  ///< empty = the model's own
  model_http::RequestOptions request;

  /// Reads `members`, `usual` being the API when none is named. A failure names the member.
  static Outcome<Options> read(nlohmann::json members, Api usual);
  /// The longest answer of a step of which the question wants `asked` at most; 0 = no limit.
  [[nodiscard]] std::int64_t most_tokens(std::int64_t asked) const {
    return request.max_output_tokens > 0 ? request.max_output_tokens : asked;
  }
};

/// JSON Schema of a vendor's part of the configuration.
nlohmann::json schema();

}  // namespace quarry::openai
