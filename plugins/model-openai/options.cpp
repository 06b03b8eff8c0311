#include "model-openai/options.h"

#include "model_http/settings.h"
#include "provider_schema.h"

namespace quarry::openai {
namespace {

using Json = nlohmann::json;

Json taken(Json& members, const char* name, const Json& otherwise) {
  Json out = members.value(name, otherwise);
  members.erase(name);
  return out;
}

}  // namespace

Outcome<Options> Options::read(Json members, Api usual) {
  auto request = model_http::RequestOptions::take(members);
  if (!request) return request.failure();
  Options out{.api = usual, .reasoning_effort = {}, .request = std::move(*request)};
  if (members.contains("api")) {
    const Json api = taken(members, "api", "");
    if (api != "chat" && api != "responses") {
      return field_failure("/api", "must be \"chat\" or \"responses\"");
    }
    out.api = api == "chat" ? Api::kChat : Api::kResponses;
  }
  const Json effort = taken(members, "reasoning_effort", "");
  if (!effort.is_string())
    return field_failure("/reasoning_effort", "must be a word as in \"low\"");
  out.reasoning_effort = effort.get<std::string>();
  if (auto unknown = model_http::unknown_member(members)) return *unknown;
  return out;
}

Json schema() {
  return Json::parse(model_http::kSchema);
}

}  // namespace quarry::openai
