#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::ollama {

struct Model {
  std::string id;
  std::int64_t context_tokens = 0;  ///< 0 = unknown
  bool answers = true;              ///< not only embeddings
  bool calls_tools = false;
};

/// The models of `/api/tags`, as they stand there: the last changed first.
std::vector<Model> models_of(const nlohmann::json& tags);

/// Adds what `/api/show` tells about a model.
void describe(Model& model, const nlohmann::json& show);

/// The list of <quarry/model.h>: those that answer, those that call tools first. No context is
/// larger than `most` tokens, unless `most` is 0.
std::string list_of(const std::vector<Model>& models, std::int64_t most);

}  // namespace quarry::ollama
