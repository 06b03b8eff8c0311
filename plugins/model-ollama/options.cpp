#include "model-ollama/options.h"

#include "model_http/settings.h"
#include "provider_schema.h"

namespace quarry::ollama {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostContext = 100'000'000;

}  // namespace

Outcome<Options> Options::read(Json members) {
  Options out;
  auto request = model_http::RequestOptions::take(members);
  if (!request) return request.failure();
  out.request = std::move(*request);
  if (const Json context = model_http::take_member(members, "num_ctx"); !context.is_null()) {
    if (!context.is_number_integer() || context < 1 || context > kMostContext) {
      return field_failure("/num_ctx", "must be a number of tokens, at least 1");
    }
    out.context_tokens = context.get<std::int64_t>();
  }
  out.think = model_http::take_member(members, "think");
  if (!out.think.is_null() && !out.think.is_boolean() && !out.think.is_string()) {
    return field_failure("/think", "must be true, false or a level as in \"low\"");
  }
  out.keep_alive = model_http::take_member(members, "keep_alive");
  if (!out.keep_alive.is_null() && !out.keep_alive.is_string() && !out.keep_alive.is_number()) {
    return field_failure("/keep_alive", "must be a duration as in \"10m\", or seconds");
  }
  if (auto unknown = model_http::unknown_member(members)) return *unknown;
  return out;
}

Json schema() {
  return Json::parse(model_http::kSchema);
}

}  // namespace quarry::ollama
