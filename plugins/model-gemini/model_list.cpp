#include "model-gemini/model_list.h"

#include "model_http/json_text.h"

#include <algorithm>

namespace quarry::gemini {
namespace {

using model_http::member;
using model_http::text_member;
using Json = nlohmann::json;

constexpr std::string_view kPrefix = "models/";

bool can_answer(const Json& model) {
  const Json& methods = member(model, "supportedGenerationMethods");
  return std::find(methods.begin(), methods.end(), "generateContent") != methods.end();
}

}  // namespace

void add_models(const Json& page, Json& models) {
  for (const Json& model : member(page, "models")) {
    auto id = text_member(model, "name");
    if (id.starts_with(kPrefix)) id.remove_prefix(kPrefix.size());
    if (id.empty() || !can_answer(model)) continue;
    models.push_back({{"id", id}});
    const auto tokens = model_http::count_member(model, "inputTokenLimit");
    if (tokens > 0) models.back()["contextTokens"] = tokens;
  }
}

void put_first(std::string_view id, Json& models) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const Json& model) { return model["id"] == id; });
  if (found != models.end()) std::rotate(models.begin(), found, found + 1);
}

}  // namespace quarry::gemini
