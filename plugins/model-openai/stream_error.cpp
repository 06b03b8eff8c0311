#include "model-openai/stream_error.h"

#include "model_http/failure_reply.h"
#include "model_http/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
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

/// The delay of "Please try again in 1.2s.", "in 350ms" or "in 6m0s", whose seconds do not count,
/// in milliseconds; -1 when there is none.
std::int64_t asked_delay(std::string_view message) {
  constexpr std::string_view kBefore = "try again in ";
  const auto at = message.find(kBefore);
  if (at == message.npos) return -1;
  const std::string_view delay = message.substr(at + kBefore.size());
  double number = 0;
  const auto [end, wrong] = std::from_chars(delay.data(), delay.data() + delay.size(), number);
  const std::string_view unit(end, delay.data() + delay.size());
  if (wrong != std::errc() || !(number >= 0 && number < 1e6)) return -1;
  if (unit.starts_with("ms")) return std::llround(number);
  if (unit.starts_with("m")) return std::llround(number * 60'000);
  return unit.starts_with("s") ? std::llround(number * 1000) : -1;
}

}  // namespace

void report_error(const Json& error, model_http::Output& output) {
  const int status = model_http::http_status_in(error);
  const std::string message = model_http::message_in(error);
  output.error(status != 0 ? model_http::status_of(status) : status_in_words(error), message,
               status, asked_delay(message));
}

}  // namespace quarry::openai
