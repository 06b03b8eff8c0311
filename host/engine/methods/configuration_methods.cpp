#include "engine/methods/all_methods.h"
#include "engine/methods/methods.h"

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
    "configFile": {"type": "string"}, "maxCostUsd": {"type": "string"},
    "monthlyBudgetUsd": {"type": "string"}
  }
})json";

constexpr std::string_view kReloadResult = R"json({
  "type": "object", "required": ["ok", "resources"],
  "properties": {
    "ok": {"type": "boolean"}, "resources": {"type": "array", "items": {"type": "string"}}
  }
})json";

constexpr std::string_view kReloadPluginsResult = R"json({
  "type": "object", "required": ["plugins", "problems"],
  "properties": {
    "plugins": {"type": "array", "items": {
      "type": "object", "required": ["id", "version", "change"],
      "properties": {
        "id": {"type": "string"}, "version": {"type": "string"},
        "change": {"type": "string",
                   "description": "loaded, replaced, kept or removed; others may follow"},
        "before": {"type": "string"}}}},
    "problems": {"type": "array", "items": {"type": "string"}}
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
    "type": "object", "required": ["description", "result", "version"],
    "properties": {
      "version": {"type": "integer", "minimum": 1},
      "description": {"type": "string"},
      "params": {"type": "object", "additionalProperties": {}},
      "principal": {"type": "string",
                    "description": "optional or required; others may follow"},
      "result": {"type": "object", "additionalProperties": {}}}}}}
})json";

Answer describe_schemas(const MethodServices& engine, const Json&) {
  return engine.state.now()->schemas_json;
}

Answer describe_methods(const MethodServices&, const Json&) {
  return to_text({{"methods", all_methods().description()}});
}

Answer show_configuration(const MethodServices& engine, const Json&) {
  const auto now = engine.state.now();
  const config::Config& config = now->config;
  const auto cache = engine.host.paths.cache();
  const auto chosen = now->models->chosen();
  Json out{{"provider", chosen ? chosen->provider : config.model.provider},
           {"model", chosen ? chosen->model : config.model.name},
           {"providerTimeoutMs", config.model.max_time.count() * 1000},
           {"maxSteps", config.model.max_steps},
           {"resourcesDirectory", cache ? cache->string() : ""},
           {"resourceCount", now->resources.size()},
           {"configFile", config.writable_file.string()}};
  if (config.model.max_cost) out["maxCostUsd"] = to_decimal(*config.model.max_cost);
  if (config.model.monthly_budget) {
    out["monthlyBudgetUsd"] = to_decimal(*config.model.monthly_budget);
  }
  return to_text(out);
}

Answer reload_configuration(const MethodServices& engine, const Json&) {
  ConfigurationEdit edit(engine.state);
  if (const auto done = edit.reload_with_plugins(); !done) return done.error();
  Json names = Json::array();
  for (const Json& resource : engine.state.now()->resources) names.push_back(resource["name"]);
  return to_text({{"ok", true}, {"resources", std::move(names)}});
}

Answer reload_plugins(const MethodServices& engine, const Json&) {
  ConfigurationEdit edit(engine.state);
  const auto done = edit.reload_with_plugins();
  if (!done) return done.error();
  Json changes = Json::array();
  for (const auto& change : done->plugins) {
    Json row = {
        {"id", change.id}, {"version", change.version}, {"change", plugins::name_of(change.kind)}};
    if (!change.before.empty()) row["before"] = change.before;
    changes.push_back(std::move(row));
  }
  return to_text({{"plugins", std::move(changes)}, {"problems", done->problems}});
}

}  // namespace

void add_configuration_methods(MethodTable& table) {
  table.add({.name = "config.show",
             .summary = "The settings that a client may see, without secrets. `maxCostUsd` is the"
                        " limit of one question.",
             .result = kShowResult,
             .run = AtOnce{show_configuration}});
  table.add({.name = "config.reload",
             .summary = "Reads the configuration again, and the plugins. Nothing changes if the "
                        "new one has a mistake.",
             .result = kReloadResult,
             .run = OnWorker{reload_configuration}});
  table.add({.name = "plugins.reload",
             .summary = "As config.reload, with what it changed. A plugin that is `kept` has "
                        "changed and cannot be loaded: the code that was loaded before stays in "
                        "use.",
             .result = kReloadPluginsResult,
             .run = OnWorker{reload_plugins}});
  table.add({.name = "schemas",
             .summary = "The JSON Schemas of the params of resources.add, which depend on the "
                        "types that are loaded, and of question.ask.",
             .result = kSchemasResult,
             .run = AtOnce{describe_schemas}});
  table.add({.name = "methods",
             .summary = "Every method of this host: its version, what it does, and the JSON "
                        "Schemas of its params and of its value; `principal` is there where one "
                        "is taken, `optional` or `required`. A version rises when its method "
                        "takes or returns more.",
             .result = kMethodsResult,
             .run = OnWorker{describe_methods}});
}

}  // namespace quarry::engine
