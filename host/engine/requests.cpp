#include "engine/requests.h"

#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "engine/params.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kQuestionSchema = R"json({
  "type": "object",
  "required": ["question"],
  "properties": {
    "question": {"type": "string", "minLength": 1, "maxLength": 100000, "pattern": "\\S",
                 "description": "must not be only white space"},
    "resources": {"type": ["array", "null"], "maxItems": 20,
                  "items": {"type": "string", "minLength": 1, "maxLength": 4096}},
    "quiet": {"type": ["boolean", "null"]},
    "sync": {"type": ["boolean", "null"],
             "description": "must be true to check the sources for updates now, false to check none, or left out"},
    "thread": {"type": ["string", "null"], "minLength": 1, "maxLength": 64,
               "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$",
               "description": "must be letters, digits, '.', '_' and '-', as in \"parser-2\""},
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

constexpr std::string_view kOptionalProjectSchema = R"json({
  "type": "object", "properties": {"project": {"type": ["string", "null"], "minLength": 1}}
})json";

constexpr std::string_view kIdSchema = R"json({
  "type": "object", "required": ["id"],
  "properties": {"id": {"type": "string", "minLength": 1}}
})json";

constexpr std::string_view kReferenceSchema = R"json({
  "type": "object", "required": ["reference"],
  "properties": {"reference": {"type": "string", "minLength": 1, "maxLength": 4096}}
})json";

constexpr std::string_view kModelSchema = R"json({
  "type": "object", "required": ["provider", "model"],
  "properties": {
    "provider": {"type": "string", "minLength": 1, "maxLength": 128},
    "model": {"type": "string", "maxLength": 256},
    "providerOptions": {"type": ["object", "null"]}
  }
})json";

Result<std::string> read_text(std::string_view params, const Schema& schema, const char* member,
                              std::string_view tag) {
  auto value = read_params(params, schema, "the request is not valid", tag);
  if (!value) return std::move(value).error();
  return (*value)[member].get<std::string>();
}

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

Result<QuestionRequest> read_question(std::string_view params) {
  static const Schema schema = compiled(kQuestionSchema);
  auto value = read_params(params, schema, "the question is not valid", "RequestError");
  if (!value) return std::move(value).error();
  QuestionRequest request{(*value)["question"], {}, {}, {}};
  if (const Json* sync = given(*value, "sync")) {
    request.freshness =
        *sync == true ? resources::Freshness::kSync : resources::Freshness::kOffline;
  }
  if (const Json* resources = given(*value, "resources")) {
    request.resources = resources->get<std::vector<std::string>>();
  }
  const Json* thread = given(*value, "thread");
  const Json* history = given(*value, "history");
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

Result<Json> read_resource(std::string_view params) {
  static const Schema schema = compiled(kResourceSchema);
  return read_params(params, schema, "the resource is not valid", "ConfigError");
}

Result<std::string> read_name(std::string_view params) {
  static const Schema schema = compiled(kNameSchema);
  return read_text(params, schema, "name", "RequestError");
}

Result<std::string> read_optional_name(std::string_view params) {
  static const Schema schema = compiled(kOptionalNameSchema);
  const auto value = read_params(params, schema, "the request is not valid", "RequestError");
  if (!value) return value.error();
  const Json* name = given(*value, "name");
  return name == nullptr ? std::string() : name->get<std::string>();
}

Result<std::string> read_optional_project(std::string_view params) {
  static const Schema schema = compiled(kOptionalProjectSchema);
  const auto value = read_params(params, schema, "the request is not valid", "RequestError");
  if (!value) return value.error();
  const Json* project = given(*value, "project");
  return project == nullptr ? std::string() : project->get<std::string>();
}

Result<std::string> read_id(std::string_view params) {
  static const Schema schema = compiled(kIdSchema);
  return read_text(params, schema, "id", "RequestError");
}

Result<std::string> read_reference(std::string_view params) {
  static const Schema schema = compiled(kReferenceSchema);
  return read_text(params, schema, "reference", "RequestError");
}

Result<ModelChoice> read_model_choice(std::string_view params) {
  static const Schema schema = compiled(kModelSchema);
  auto value = read_params(params, schema, "the choice of a model is not valid", "RequestError");
  if (!value) return std::move(value).error();
  Json options = value->value("providerOptions", Json());
  if (!options.is_object()) options = Json::object();
  return ModelChoice{(*value)["provider"], (*value)["model"], std::move(options)};
}

std::string_view question_schema() {
  return kQuestionSchema;
}

bool same_name(std::string_view name, std::string_view configured) {
  const auto bare = [](std::string_view text) {
    return to_lower(text.starts_with('@') ? text.substr(1) : text);
  };
  return bare(name) == bare(configured);
}

}  // namespace quarry::engine
