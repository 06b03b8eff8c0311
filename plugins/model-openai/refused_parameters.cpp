#include "model-openai/refused_parameters.h"

#include "model-openai/model_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace quarry::openai {
namespace {

/// Words of a server that does not know a parameter, unlike one that finds its value wrong.
constexpr std::array<std::string_view, 7> kUnknown = {
    "unsupported parameter", "not support", "unrecognized", "unknown", "unexpected",
    "not permitted",         "not allowed"};

}  // namespace

bool RefusedParameters::note(const model_http::ReportedFailure& failure) {
  if (failure.http_status != 400 && failure.http_status != 422) return false;
  const std::string message = lower(failure.message);
  const auto says = [&](std::string_view words) { return message.contains(words); };
  if (std::ranges::none_of(kUnknown, says)) return false;
  const bool limit = says("max_tokens") || says("max_completion_tokens");
  if (limit && !token_limit.exchange(true)) return true;
  return says("stream_options") && !stream_options.exchange(true);
}

}  // namespace quarry::openai
