#pragma once

#include "ask/answer.h"
#include "base/executor.h"
#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"
#include "services/job_limit.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace quarry::ask {

/// What a model is asked in one step.
struct StepRequest {
  std::string chat;              ///< chat request, JSON
  std::string traceparent = {};  ///< header for requests to the provider; empty = none
  std::string project = {};      ///< of the token that asks; empty = the owner
};

/// A model that answers one step at a time, independent of the form of its provider.
class Model {
 public:
  virtual ~Model() = default;
  /// Runs one step and writes to `sink` from one thread at a time; then calls `done`, once, on any
  /// thread, and does not use the sink afterwards. Ends soon after `stop` was requested. Never
  /// blocks. [io]
  virtual void step(StepRequest request, std::stop_token stop, StepSink& sink,
                    std::function<void()> done) = 0;
};

/// A model that a question may ask, with the settings fixed when the question was created.
struct Candidate {
  std::shared_ptr<Model> model;
  std::string provider;     ///< as configured
  std::string name;         ///< model name; may be empty
  std::string vendor = {};  ///< its name in price catalogues; empty = unknown
  std::string options = "{}";
  std::optional<plugins::ModelRates> rates;  ///< nothing when no catalogue knows the model
  std::int64_t context_tokens = 0;           ///< 0 = unknown
  bool local = false;                        ///< costs nothing
  bool calls_tools = true;                   ///< false = it is known that it cannot
};

/// A model whose provider has the generate form, run on workers, as many steps at once as `limit`
/// permits.
std::shared_ptr<Model> make_generate_model(std::shared_ptr<plugins::ModelProvider> provider,
                                           Executor& workers,
                                           std::shared_ptr<services::JobLimit> limit);

}  // namespace quarry::ask
