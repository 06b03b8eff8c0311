#include "engine/methods/configuration_methods.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kShowResult = R"json({
  "type": "object",
  "required": ["provider", "model", "providerTimeoutMs", "maxSteps", "resourcesDirectory",
               "resourceCount", "configFile"],
  "properties": {
    "provider": {"type": "string"}, "model": {"type": "string"},
    "providerTimeoutMs": {"type": "integer"}, "maxSteps": {"type": "integer"},
    "resourcesDirectory": {"type": "string"}, "resourceCount": {"type": "integer"},
    "configFile": {"type": "string"}
  }
})json";

constexpr std::string_view kReloadResult = R"json({
  "type": "object", "required": ["ok", "resources"],
  "properties": {
    "ok": {"const": true}, "resources": {"type": "array", "items": {"type": "string"}}
  }
})json";

constexpr std::string_view kSchemasResult = R"json({
  "type": "object", "required": ["question", "resource"],
  "properties": {
    "question": {"type": "object", "additionalProperties": {}},
    "resource": {"type": "object", "additionalProperties": {}}
  }
})json";

constexpr std::string_view kMethodsResult = R"json({
  "type": "object", "required": ["methods"],
  "properties": {"methods": {"type": "object", "additionalProperties": {
    "type": "object", "required": ["result"],
    "properties": {
      "params": {"type": "object", "additionalProperties": {}},
      "principal": {"enum": ["optional", "required"]},
      "result": {"type": "object", "additionalProperties": {}}}}}}
})json";

}  // namespace

void ConfigurationMethods::add_to(MethodTable& table) {
  table.add({.name = "config.show",
             .result = kShowResult,
             .run = AtOnce{std::bind_front(&ConfigurationMethods::show, this)}});
  table.add({.name = "config.reload",
             .result = kReloadResult,
             .run = OnWorker{std::bind_front(&ConfigurationMethods::reload, this)}});
  table.add({.name = "schemas",
             .result = kSchemasResult,
             .run = AtOnce{std::bind_front(&ConfigurationMethods::schemas, this)}});
  table.add({.name = "methods",
             .result = kMethodsResult,
             .run = OnWorker{std::bind_front(&ConfigurationMethods::methods, this)}});
}

Answer ConfigurationMethods::schemas(const Json&) {
  return state_.now()->schemas_json;
}

Answer ConfigurationMethods::methods(const Json&) {
  return to_text({{"methods", table_.description()}});
}

Answer ConfigurationMethods::show(const Json&) {
  const auto now = state_.now();
  const config::Config& config = now->config;
  const auto cache = paths_.cache();
  const auto chosen = now->models->chosen();
  return to_text({{"provider", chosen ? chosen->provider : config.model.provider},
                  {"model", chosen ? chosen->model : config.model.name},
                  {"providerTimeoutMs", config.model.max_time.count() * 1000},
                  {"maxSteps", config.model.max_steps},
                  {"resourcesDirectory", cache ? cache->string() : ""},
                  {"resourceCount", now->resources.size()},
                  {"configFile", config.writable_file.string()}});
}

Answer ConfigurationMethods::reload(const Json&) {
  ConfigurationEdit edit(state_);
  if (Status done = edit.reload(); !done) return std::move(done).error();
  Json names = Json::array();
  for (const Json& resource : state_.now()->resources) names.push_back(resource["name"]);
  return to_text({{"ok", true}, {"resources", std::move(names)}});
}

}  // namespace quarry::engine
