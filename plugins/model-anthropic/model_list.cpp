#include "model-anthropic/model_list.h"

#include "model_http/json_text.h"

namespace quarry::anthropic {

using Json = nlohmann::json;

Json models_of(const Json& answer, std::string_view first) {
  Json preferred = Json::array();
  Json others = Json::array();
  for (const Json& model : model_http::member(answer, "data")) {
    const std::string_view id = model_http::text_member(model, "id");
    if (id.empty()) continue;
    Json listed = {{"id", id}};
    const auto context = model_http::count_member(model, "max_input_tokens");
    if (context > 0) listed["contextTokens"] = context;
    (id.starts_with(first) ? preferred : others).push_back(std::move(listed));
  }
  for (Json& model : others) preferred.push_back(std::move(model));
  return {{"models", std::move(preferred)}};
}

}  // namespace quarry::anthropic
