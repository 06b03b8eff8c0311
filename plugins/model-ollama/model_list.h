#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::ollama {

struct Model {
  std::string id;
  std::int64_t context_tokens = 0;       ///< 0 = unknown
  bool answers = true;                   ///< generates text, not only embeddings
  std::optional<bool> calls_tools = {};  ///< nothing = unknown
};

/// The models of `/api/tags`, in its order: most recently changed first.
std::vector<Model> models_of(const nlohmann::json& tags);

/// Adds the data of `/api/show` to a model.
void describe(Model& model, const nlohmann::json& show);

/// The list of <quarry/model.h>: the models that generate text, those that call tools first.
/// Contexts are limited to `most` tokens, unless `most` is 0.
std::string list_of(const std::vector<Model>& models, std::int64_t most);

}  // namespace quarry::ollama
