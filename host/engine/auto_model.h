#pragma once

#include "engine/model_sources.h"
#include "services/endpoint.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// The provider that quotes from the files and needs no model.
inline constexpr std::string_view kExtractive = "extractive";

/// Result of `provider = "auto"`.
struct AutoModel {
  std::string id;
  /// If no provider has its credentials: local servers that accept connections, in order; `id` is
  /// the first. It is not known yet which of them has a model.
  std::vector<std::string> servers;
};

/// Chooses the first of: a provider with all its secrets (anthropic, openai, gemini, openrouter,
/// mistral, groq, deepseek, then the others by name); a local provider with a loopback endpoint
/// that accepts a connection (ollama, llamacpp, then the others by name); the extractive one.
/// Ignores instances whose name is not that of their provider.
AutoModel choose_auto(const ModelSources& sources,
                      const std::function<bool(const std::string& secret)>& is_there,
                      const std::function<bool(const services::Endpoint&)>& accepts);

}  // namespace quarry::engine
