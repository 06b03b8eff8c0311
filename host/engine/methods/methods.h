#pragma once

#include "access/access.h"
#include "ask/question.h"
#include "corpus/query/search_models.h"
#include "engine/cache_size.h"
#include "engine/current_prices.h"
#include "engine/current_state.h"
#include "engine/expenses.h"
#include "engine/gate.h"
#include "engine/host_services.h"
#include "engine/methods/method_table.h"
#include "engine/question_history.h"
#include "engine/question_registry.h"
#include "engine/requests.h"
#include "engine/tool_share.h"
#include "resources/library.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quarry::engine {

/// The parts of an engine that its methods use. All outlive every call.
struct MethodServices {
  CurrentState& state;
  HostServices& host;
  Gate& gate;
  resources::Library& library;
  QuestionHistory& history;
  QuestionRegistry& questions;
  CurrentPrices& prices;
  Expenses& expenses;  ///< of questions of callers with tokens
  CacheSize& cache_size;
  ToolShare& tool_share;
  corpus::SymbolAnalyser* symbols = nullptr;  ///< null = source code is not analysed
  corpus::SearchModels search_models = {};
  std::function<std::vector<std::string>()> problems;  ///< as of Engine::problems() [any]
  std::function<void()> on_end;                        ///< as in Options; may be empty [any]
};

// Add the rows of a group of methods.
void add_access_methods(MethodTable& table);
void add_configuration_methods(MethodTable& table);
void add_file_methods(MethodTable& table);
void add_history_methods(MethodTable& table);
void add_host_methods(MethodTable& table);
void add_lock_methods(MethodTable& table);
void add_model_methods(MethodTable& table);
void add_project_methods(MethodTable& table);
void add_question_methods(MethodTable& table);
void add_resource_methods(MethodTable& table);
void add_secret_methods(MethodTable& table);
void add_sync_methods(MethodTable& table);
void add_token_methods(MethodTable& table);
void add_tool_methods(MethodTable& table);

// What several groups use.

/// The resources of a question or a call of a tool, from the names in its request: the owner's, or
/// those of the project of `who`, which may add references only with that right. [worker]
Result<std::vector<ask::WantedResource>> choose_resources(
    const MethodServices& engine, const State& state, const QuestionRequest& asked,
    const std::optional<access::Principal>& who);

/// The resources of a sync; all if `name` is empty. [worker]
Result<std::vector<ask::WantedResource>> resources_to_sync(const State& state,
                                                           const std::string& name);

/// ProjectError for the unknown project `name`, with the nearest known name. [worker]
Error no_project(plugins::Store& kept, const std::string& name);

}  // namespace quarry::engine
