#include "model-openai/model_list.h"

#include "model-openai/model_names.h"
#include "model_http/json_text.h"

#include <algorithm>
#include <vector>

namespace quarry::openai {
namespace {

using model_http::count_member;
using model_http::member;
using Json = nlohmann::json;

/// The context size, by the members of OpenRouter, vLLM, Groq, Mistral and llama.cpp; OpenAI has
/// none.
std::int64_t context_tokens(const Json& model) {
  for (const char* name :
       {"context_length", "max_model_len", "context_window", "max_context_length"}) {
    if (const std::int64_t count = count_member(model, name); count > 0) return count;
  }
  return count_member(member(model, "meta"), "n_ctx_train");
}

/// True if OpenRouter or Mistral says that the model cannot call tools; the others say nothing.
bool cannot_call_tools(const Json& model) {
  const Json& parameters = member(model, "supported_parameters");
  if (parameters.is_array())
    return std::ranges::find(parameters, Json("tools")) == parameters.end();
  return member(member(model, "capabilities"), "function_calling") == Json(false);
}

/// Sort key of a model; 0 comes first.
int rank(std::string_view id, std::string_view usual) {
  return id == usual ? 0 : may_answer(id) ? 1 : 2;
}

}  // namespace

std::string model_list(const Json& response, std::string_view usual) {
  std::vector<Json> models;
  const Json& list = response.is_array() ? response : member(response, "data");
  for (const Json& model : list) {
    const auto id = model_http::text_member(model, "id");
    if (id.empty()) continue;
    models.push_back({{"id", id}});
    if (const auto count = context_tokens(model); count > 0) models.back()["contextTokens"] = count;
    if (cannot_call_tools(model)) models.back()["tools"] = false;
  }
  std::ranges::stable_sort(models, {}, [&](const Json& model) {
    return rank(model["id"].get_ref<const std::string&>(), usual);
  });
  return model_http::to_text({{"models", models}});
}

}  // namespace quarry::openai
