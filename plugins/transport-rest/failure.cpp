#include "failure.h"

#include "json_text.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, int>, 23> kStatusOfTag{{
    {"RequestError", 400},
    {"ConfigError", 400},
    {"CollectionError", 400},
    {"ResourceError", 400},
    {"ProviderNotConnectedError", 400},
    {"ProviderNotAuthenticatedError", 400},
    {"ProviderNotFoundError", 400},
    {"ProviderOptionsError", 400},
    {"Unauthorized", 401},
    {"AuthenticationError", 401},
    {"Forbidden", 403},
    {"RightsError", 403},
    {"ProjectError", 404},
    {"NotFound", 404},
    {"RequestTimeout", 408},
    {"PayloadTooLarge", 413},
    {"UnsupportedMediaType", 415},
    {"RateLimitError", 429},
    {"BudgetError", 429},
    {"AgentError", 502},
    {"Unavailable", 503},
    {"StoreError", 503},
    {"TimeoutError", 504},
}};

std::pair<int, std::string_view> by_status(quarry_status status) {
  switch (status) {
    case QUARRY_INVALID_ARGUMENT:
      return {400, "RequestError"};
    case QUARRY_NOT_FOUND:
      return {404, "NotFound"};
    case QUARRY_PERMISSION_DENIED:
      return {403, "Forbidden"};
    case QUARRY_UNAUTHENTICATED:
      return {401, "Unauthorized"};
    case QUARRY_UNAVAILABLE:
      return {503, "Unavailable"};
    case QUARRY_RESOURCE_EXHAUSTED:
      return {429, "RateLimitError"};
    case QUARRY_DEADLINE_EXCEEDED:
      return {504, "TimeoutError"};
    case QUARRY_DATA_LOSS:
      return {502, "DataLoss"};
    default:
      return {500, "InternalError"};
  }
}

constexpr const char* kSchemaHint = "GET /openapi.json describes what it takes.";

std::string member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

http_server::Response error_body(int status, std::string_view tag, std::string_view message,
                                 std::string_view hint, std::string_view code) {
  json body{{"error", message}, {"tag", tag}};
  if (!hint.empty()) body["hint"] = hint;
  if (!code.empty()) body["code"] = code;
  http_server::Response answer;
  answer.status = status;
  answer.body = dump(body);
  return answer;
}

}  // namespace

int status_of_tag(std::string_view tag) {
  for (const auto& [name, status] : kStatusOfTag) {
    if (name == tag) return status;
  }
  return 500;
}

http_server::Response error_response(const Failure& failure) {
  auto [status, tag] = by_status(failure.status);
  if (!failure.tag.empty()) {
    tag = failure.tag;
    // A name that the request refers to but that is unknown is 404.
    const bool unknown_name = tag == "ConfigError" && failure.status == QUARRY_NOT_FOUND;
    status = unknown_name ? 404 : status_of_tag(tag);
  }
  const bool has_hint = !failure.hint.empty() || failure.status != QUARRY_INVALID_ARGUMENT;
  auto answer = error_body(status, tag, failure.message, has_hint ? failure.hint : kSchemaHint,
                           engine_client::name_of(failure.status));
  if (failure.fields.empty() || failure.fields == "[]") return answer;
  answer.body.pop_back();
  answer.body += ",\"details\":" + failure.fields + "}";
  return answer;
}

http_server::Response error_response(int status, std::string_view tag, std::string_view message,
                                     std::string_view hint) {
  return error_body(status, tag, message, hint, {});
}

http_server::Response error_response_of_event(std::string_view event_json) {
  const json event = json::parse(event_json, nullptr, false);
  if (!event.is_object()) return error_response(500, "InternalError", "the question failed");
  const std::string tag = member(event, "tag");
  return error_body(status_of_tag(tag), tag.empty() ? "InternalError" : tag,
                    member(event, "message"), member(event, "hint"), member(event, "code"));
}

}  // namespace quarry::rest
