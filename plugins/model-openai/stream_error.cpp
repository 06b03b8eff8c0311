#include "model-openai/stream_error.h"

#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

#include <array>
#include <utility>

namespace quarry::openai {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, quarry_status>, 8> kWords = {
    {{"insufficient_quota", QUARRY_RESOURCE_EXHAUSTED},
     {"rate_limit_exceeded", QUARRY_RESOURCE_EXHAUSTED},
     {"context_length_exceeded", QUARRY_INVALID_ARGUMENT},
     {"invalid_prompt", QUARRY_INVALID_ARGUMENT},
     {"invalid_api_key", QUARRY_UNAUTHENTICATED},
     {"model_not_found", QUARRY_NOT_FOUND},
     {"invalid_request_error", QUARRY_INVALID_ARGUMENT},
     {"exceed_context_size_error", QUARRY_INVALID_ARGUMENT}}};

quarry_status status_in_words(const Json& error) {
  for (const char* name : {"code", "type"}) {
    const std::string_view said = model_http::text_member(error, name);
    for (const auto& [word, status] : kWords) {
      if (said == word) return status;
    }
  }
  return QUARRY_UNAVAILABLE;
}

}  // namespace

void report_error(const Json& error, model_http::Output& output) {
  const int status = model_http::http_status_in(error);
  output.error(status != 0 ? model_http::status_of(status) : status_in_words(error),
               model_http::message_in(error), status);
}

}  // namespace quarry::openai
