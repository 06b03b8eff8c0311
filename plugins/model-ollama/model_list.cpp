#include "model-ollama/model_list.h"

#include "model_http/json_text.h"

#include <algorithm>

namespace quarry::ollama {
namespace {

using model_http::member;
using model_http::text_member;
using Json = nlohmann::json;

/// "<architecture>.context_length" of the model's metadata.
std::int64_t context_length(const Json& facts) {
  const std::string key =
      std::string(text_member(facts, "general.architecture")) + ".context_length";
  return model_http::count_member(facts, key, 0);
}

}  // namespace

std::vector<Model> models_of(const Json& tags) {
  std::vector<Model> out;
  for (const Json& model : member(tags, "models")) {
    const auto name = text_member(model, "name");
    if (!name.empty()) out.push_back({.id = std::string(name)});
  }
  return out;
}

void describe(Model& model, const Json& show) {
  model.context_tokens = context_length(member(show, "model_info"));
  const Json& capabilities = member(show, "capabilities");
  if (!capabilities.is_array()) return;
  const auto has = [&](const char* name) {
    return std::find(capabilities.begin(), capabilities.end(), name) != capabilities.end();
  };
  model.answers = has("completion");
  model.calls_tools = has("tools");
}

std::string list_of(const std::vector<Model>& models, std::int64_t most) {
  Json out = Json::array();
  for (const bool with_tools : {true, false}) {
    for (const Model& model : models) {
      if (!model.answers || model.calls_tools.value_or(false) != with_tools) continue;
      out.push_back({{"id", model.id}});
      if (model.calls_tools == false) out.back()["tools"] = false;
      const auto limited = most > 0 && (model.context_tokens == 0 || model.context_tokens > most);
      const std::int64_t context = limited ? most : model.context_tokens;
      if (context > 0) out.back()["contextTokens"] = context;
    }
  }
  return Json{{"models", std::move(out)}}.dump();
}

}  // namespace quarry::ollama
