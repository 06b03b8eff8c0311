#include "engine/auto_model.h"

#include <algorithm>
#include <span>

namespace quarry::engine {
namespace {

constexpr std::string_view kWithKeys[] = {"anthropic", "openai", "gemini",  "openrouter",
                                          "mistral",   "groq",   "deepseek"};
constexpr std::string_view kServers[] = {"ollama", "llamacpp"};

/// Sources under their provider's own name: those in `first`, then the others by name.
std::vector<const ModelSource*> ordered(const ModelSources& sources,
                                        std::span<const std::string_view> first) {
  std::vector<const ModelSource*> out;
  const auto add = [&](const Result<ModelSource>& source) {
    if (source && source->id == source->provider) out.push_back(&*source);
  };
  for (const std::string_view id : first) {
    if (const auto found = sources.find(id); found != sources.end()) add(found->second);
  }
  for (const auto& [id, source] : sources) {
    if (std::ranges::find(first, id) == first.end()) add(source);
  }
  return out;
}

}  // namespace

AutoModel choose_auto(const ModelSources& sources,
                      const std::function<bool(const std::string& secret)>& is_there,
                      const std::function<bool(const services::Endpoint&)>& accepts) {
  for (const ModelSource* source : ordered(sources, kWithKeys)) {
    const auto& needs = source->made->describe().needs;
    if (!needs.empty() && std::ranges::all_of(needs, is_there)) return {source->id, {}};
  }
  AutoModel out{std::string(kExtractive), {}};
  for (const ModelSource* source : ordered(sources, kServers)) {
    const auto& described = source->made->describe();
    const auto endpoint = services::parse_endpoint(described.endpoint);
    if (!described.local || !described.needs.empty() || !endpoint) continue;
    if (services::is_loopback(*endpoint) && accepts(*endpoint)) out.servers.push_back(source->id);
  }
  if (!out.servers.empty()) out.id = out.servers.front();
  return out;
}

}  // namespace quarry::engine
