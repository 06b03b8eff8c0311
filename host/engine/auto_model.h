#pragma once

#include "engine/model_sources.h"
#include "services/endpoint.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// The provider that quotes without any model.
inline constexpr std::string_view kExtractive = "extractive";

/// What `provider = "auto"` comes to.
struct AutoModel {
  std::string id;
  /// When no provider has its credentials: local servers that accept connections, in order; `id` is
  /// the first. Which of them has a model is not known yet.
  std::vector<std::string> servers;
};

/// The first of: a provider whose secrets are all there (anthropic, openai, gemini, openrouter,
/// mistral, groq, deepseek, then the others by name); a local provider with a loopback endpoint
/// that accepts a connection (ollama, llamacpp, then the others by name); the extractive one. Only
/// providers under their own name count.
AutoModel choose_auto(const ModelSources& sources,
                      const std::function<bool(const std::string& secret)>& is_there,
                      const std::function<bool(const services::Endpoint&)>& accepts);

}  // namespace quarry::engine
