#pragma once

#include "ask/conversation.h"
#include "base/error.h"
#include "base/json.h"
#include "engine/params.h"
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

// Rules of parameters; those of one member serve several methods.
extern const ParamsRule kQuestionParams;      ///< question.ask
extern const ParamsRule kResourceParams;      ///< resources.add; mistakes are ConfigErrors
extern const ParamsRule kModelParams;         ///< models.select
extern const ParamsRule kNameParams;          ///< "name"
extern const ParamsRule kOptionalNameParams;  ///< "name"?
extern const ParamsRule kIdParams;            ///< "id"
extern const ParamsRule kThreadsParams;       ///< "q"?
extern const ParamsRule kThreadTitleParams;   ///< "id", "title"
extern const ParamsRule kQuestionIdParams;    ///< "id", "principal"?
extern const ParamsRule kCitationParams;      ///< "id", "number", "principal"?
extern const ParamsRule kFileParams;          ///< "name", "path", "startLine"?, "endLine"?
extern const ParamsRule kReferenceParams;     ///< "reference"
extern const ParamsRule kPrincipalParams;     ///< "principal"? alone

/// The question in checked params. RequestError for turns in the wrong order.
Result<QuestionRequest> read_question(const Json& params);

/// The params of models.select.
struct ModelChoice {
  std::string provider;  ///< or an instance, or "auto"
  std::string model;     ///< empty = the provider's default
  Json options;          ///< an object
};
ModelChoice read_model_choice(const Json& params);

/// True if a client's `name` means the configured name `configured`: ignoring case, with or without
/// a leading '@'.
bool same_name(std::string_view name, std::string_view configured);

}  // namespace quarry::engine
