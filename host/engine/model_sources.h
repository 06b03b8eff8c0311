#pragma once

#include "base/error.h"
#include "config/config.h"
#include "plugins/call_share.h"
#include "plugins/model_provider.h"
#include "plugins/registry.h"
#include "services/job_limit.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// A configured model provider, with its name in the configuration and on the wire: a named
/// instance, or a plugin's provider under its own name.
struct ModelSource {
  std::string id;
  std::string provider;        ///< the component
  std::string model;           ///< as configured; empty = the provider's default
  std::string options = "{}";  ///< from which the provider was made
  std::shared_ptr<plugins::ModelProvider> made;
  /// Of a provider of the generate form: fewer steps than make the host refuse its calls
  /// (plugins::WorkerShare).
  std::shared_ptr<services::JobLimit> steps =
      std::make_shared<services::JobLimit>(plugins::WorkerShare::kMostLong - 4);
};

/// Sources by name; an error if the source could not be made.
using ModelSources = std::map<std::string, Result<ModelSource>, std::less<>>;

/// Fails with a ConfigError, with places, if [model] has options and names no provider.
Status check_unnamed_options(const config::Model& model);

/// Makes the source `id` as configured by `model`: options of [model] override those of the
/// instance if [model] names `id`. ProviderNotFoundError with the nearest name,
/// ProviderOptionsError, or, for mistakes in fields, a ConfigError with their places. Uses the
/// registry.
Result<ModelSource> make_model_source(std::string_view id, const config::Model& model,
                                      plugins::Registry& registry);

/// Makes every provider and every instance. Fails with a ConfigError for the first whose configured
/// options have mistakes; other errors are the result of their source. Uses the registry.
Result<ModelSources> make_model_sources(const config::Model& model, plugins::Registry& registry);

/// Error for the unknown source `id`, with the nearest known name.
Error unknown_model_source(std::string_view id, const std::vector<std::string>& known);
std::vector<std::string> names_of(const ModelSources& sources);

}  // namespace quarry::engine
