#pragma once

#include "base/error.h"
#include "config/config.h"
#include "plugins/model_provider.h"
#include "plugins/registry.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// A way to ask models, under the name that the configuration and the wire call it: a named
/// instance, or a plugin's provider as it is.
struct ModelSource {
  std::string id;
  std::string provider;        ///< the component
  std::string model;           ///< as configured; empty = the provider's default
  std::string options = "{}";  ///< what the provider was made from
  std::shared_ptr<plugins::ModelProvider> made;
};

/// Each by its name; a source that could not be made is the reason why.
using ModelSources = std::map<std::string, Result<ModelSource>, std::less<>>;

/// Makes the source `id` as `model` configures it: options of [model] lie over those of the
/// instance if `id` is the one that [model] names. ProviderNotFoundError with the nearest name,
/// ProviderOptionsError, or, for mistakes in fields, a ConfigError at their places. Uses the
/// registry.
Result<ModelSource> make_model_source(std::string_view id, const config::Model& model,
                                      plugins::Registry& registry);

/// Every provider and every instance. Fails with a ConfigError for the first whose configured
/// options have mistakes; whatever else is wrong with one is its own result. Uses the registry.
Result<ModelSources> make_model_sources(const config::Model& model, plugins::Registry& registry);

/// There is no source `id`; with the nearest of those there are.
Error unknown_model_source(std::string_view id, const std::vector<std::string>& known);
std::vector<std::string> names_of(const ModelSources& sources);

}  // namespace quarry::engine
