#pragma once

#include "ask/conversation.h"
#include "base/error.h"
#include "base/json.h"
#include "resources/library.h"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::engine {

/// The checked params of question.ask.
struct QuestionRequest {
  std::string question;
  std::vector<std::string> resources;  ///< empty = all
  std::string thread;                  ///< empty = none
  std::vector<ask::Turn> history;      ///< oldest first; empty if there is a thread
  resources::Freshness freshness = resources::Freshness::kPolicy;
};

/// Each function parses the params of one method: strict JSON, then its schema. Errors list every
/// mistake in the details; tag RequestError (ConfigError for resources to be configured). Unknown
/// members are ignored.
Result<QuestionRequest> read_question(std::string_view params);
Result<Json> read_resource(std::string_view params);     ///< of resources.add: `type`, `name`, …
Result<std::string> read_name(std::string_view params);  ///< of resources.remove
Result<std::string> read_optional_name(
    std::string_view params);  ///< of resources.sync, cache.clear; empty = none
Result<std::string> read_optional_project(std::string_view params);  ///< of tokens.list
Result<std::string> read_id(std::string_view params);         ///< of question.stop, threads.show
Result<std::string> read_reference(std::string_view params);  ///< of resources.recognise

/// The params of models.select.
struct ModelChoice {
  std::string provider;  ///< or an instance, or "auto"
  std::string model;     ///< empty = the provider's default
  Json options;          ///< an object
};
Result<ModelChoice> read_model_choice(std::string_view params);

/// JSON Schema of the params of question.ask, as JSON text.
std::string_view question_schema();

/// True if a client's `name` means the configured name `configured`: ignoring case, with or without
/// a leading '@'.
bool same_name(std::string_view name, std::string_view configured);

}  // namespace quarry::engine
