#include "engine/requests.h"

#include "base/resource_schema.h"
#include "base/text.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kQuestionSchema = R"json({
  "type": "object",
  "required": ["question"],
  "properties": {
    "question": {"type": "string", "minLength": 1, "maxLength": 100000, "pattern": "\\S",
                 "patternErrorMessage": "must not be only white space",
                 "description": "The question, in any language."},
    "resources": {"type": ["array", "null"], "maxItems": 20,
                  "items": {"type": "string", "minLength": 1, "maxLength": 4096},
                  "description": "Names of resources to ask about; left out, all."},
    "quiet": {"type": ["boolean", "null"]},
    "sync": {"type": ["boolean", "null"],
             "description": "Whether sources are checked for updates now: true, all; false, none; left out, those that are due."},
    "thread": {"type": ["string", "null"], "minLength": 1, "maxLength": 64,
               "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$",
               "patternErrorMessage": "must be letters, digits, '.', '_' and '-', as in \"parser-2\"",
               "description": "Name of a conversation that this question continues or begins."},
    "history": {"type": ["array", "null"], "maxItems": 50, "items": {
      "type": "object",
      "required": ["role", "content"],
      "properties": {
        "role": {"enum": ["user", "assistant"]},
        "content": {"type": "string", "minLength": 1, "maxLength": 100000}
      }}}
  }
})json";

constexpr std::string_view kNameSchema = R"json({
  "type": "object", "required": ["name"],
  "properties": {"name": {"type": "string", "minLength": 1}}
})json";

constexpr std::string_view kOptionalNameSchema = R"json({
  "type": "object", "properties": {"name": {"type": ["string", "null"], "minLength": 1}}
})json";

constexpr std::string_view kIdSchema = R"json({
  "type": "object", "required": ["id"],
  "properties": {"id": {"type": "string", "minLength": 1}}
})json";

constexpr std::string_view kThreadsSchema = R"json({
  "type": "object", "properties": {
    "q": {"type": ["string", "null"], "minLength": 1, "maxLength": 1000,
          "description": "Words that a question or answer must have, the last as a prefix."}}
})json";

constexpr std::string_view kThreadTitleSchema = R"json({
  "type": "object", "required": ["id", "title"],
  "properties": {
    "id": {"type": "string", "minLength": 1},
    "title": {"type": "string", "minLength": 1, "maxLength": 1000, "pattern": "[^\\x00-\\x20\\x7f]",
              "patternErrorMessage": "must not be only white space"}}
})json";

constexpr std::string_view kCitationSchema = R"json({
  "type": "object", "required": ["id", "number"],
  "properties": {
    "id": {"type": "string", "minLength": 1},
    "number": {"type": "integer", "minimum": 1, "maximum": 1000000}}
})json";

constexpr std::string_view kFileSchema = R"json({
  "type": "object", "required": ["name", "path"],
  "properties": {
    "name": {"type": "string", "minLength": 1},
    "path": {"type": "string", "minLength": 1, "maxLength": 4096},
    "startLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000},
    "endLine": {"type": ["integer", "null"], "minimum": 1, "maximum": 4000000000}}
})json";

constexpr std::string_view kReferenceSchema = R"json({
  "type": "object", "required": ["reference"],
  "properties": {"reference": {"type": "string", "minLength": 1, "maxLength": 4096}}
})json";

constexpr std::string_view kNothingSchema = R"json({"type": "object"})json";

constexpr std::string_view kModelSchema = R"json({
  "type": "object", "required": ["provider", "model"],
  "properties": {
    "provider": {"type": "string", "minLength": 1, "maxLength": 128},
    "model": {"type": "string", "maxLength": 256},
    "providerOptions": {"type": ["object", "null"]}
  }
})json";

/// Checks the order of roles in a conversation, which the schema cannot express.
std::vector<FieldError> check_turns(const Json& history) {
  std::vector<FieldError> mistakes;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const char* speaker = i % 2 == 0 ? "user" : "assistant";
    if (history[i]["role"] == speaker) continue;
    mistakes.push_back({"/history/" + std::to_string(i) + "/role",
                        "must be \"" + std::string(speaker) +
                            "\": user and assistant take turns, the user first"});
  }
  if (mistakes.empty() && history.size() % 2 == 1) {
    mistakes.push_back({"/history", "must end with the assistant; what is asked is \"question\""});
  }
  return mistakes;
}

}  // namespace

constinit const ParamsRule kQuestionParams{kQuestionSchema, PrincipalMember::kOptional,
                                           "the question is not valid", "RequestError", true};
constinit const ParamsRule kResourceParams{kResourceSchema, PrincipalMember::kOptional,
                                           "the resource is not valid", "ConfigError", true};
constinit const ParamsRule kModelParams{kModelSchema, PrincipalMember::kNone,
                                        "the choice of a model is not valid"};
constinit const ParamsRule kNameParams{kNameSchema};
constinit const ParamsRule kOptionalNameParams{kOptionalNameSchema};
constinit const ParamsRule kIdParams{kIdSchema};
constinit const ParamsRule kThreadsParams{kThreadsSchema};
constinit const ParamsRule kThreadTitleParams{kThreadTitleSchema};
constinit const ParamsRule kQuestionIdParams{kIdSchema, PrincipalMember::kOptional};
constinit const ParamsRule kCitationParams{kCitationSchema, PrincipalMember::kOptional};
constinit const ParamsRule kFileParams{kFileSchema};
constinit const ParamsRule kReferenceParams{kReferenceSchema};
constinit const ParamsRule kPrincipalParams{kNothingSchema, PrincipalMember::kOptional};

Result<QuestionRequest> read_question(const Json& params) {
  QuestionRequest request{params["question"], {}, {}, {}};
  if (const Json* sync = find_member(params, "sync")) {
    request.freshness =
        *sync == true ? resources::Freshness::kSync : resources::Freshness::kOffline;
  }
  if (const Json* resources = find_member(params, "resources")) {
    request.resources = resources->get<std::vector<std::string>>();
  }
  const Json* thread = find_member(params, "thread");
  const Json* history = find_member(params, "history");
  std::vector<FieldError> mistakes;
  if (history != nullptr) mistakes = check_turns(*history);
  if (thread != nullptr && history != nullptr) {
    mistakes.push_back(
        {"/history", "cannot be given together with \"thread\", which has its own turns"});
  }
  if (!mistakes.empty()) {
    return invalid("the question is not valid", "RequestError", std::move(mistakes));
  }
  if (thread != nullptr) request.thread = *thread;
  for (std::size_t i = 0; history != nullptr && i < history->size(); i += 2) {
    request.history.push_back({(*history)[i]["content"], (*history)[i + 1]["content"]});
  }
  return request;
}

ModelChoice read_model_choice(const Json& params) {
  const Json* const options = find_member(params, "providerOptions");
  return {params["provider"], params["model"], options == nullptr ? Json::object() : *options};
}

bool same_name(std::string_view name, std::string_view configured) {
  const auto bare = [](std::string_view text) {
    return to_lower(text.starts_with('@') ? text.substr(1) : text);
  };
  return bare(name) == bare(configured);
}

}  // namespace quarry::engine
