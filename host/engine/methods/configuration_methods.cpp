#include "engine/methods/configuration_methods.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {

void ConfigurationMethods::add_to(MethodTable& table) {
  table.add({"config.show", AtOnce{std::bind_front(&ConfigurationMethods::show, this)}});
  table.add({"config.reload", OnWorker{std::bind_front(&ConfigurationMethods::reload, this)}});
  table.add({"schemas", AtOnce{std::bind_front(&ConfigurationMethods::schemas, this)}});
}

Answer ConfigurationMethods::schemas(std::string_view) {
  return state_.now()->schemas_json;
}

Answer ConfigurationMethods::show(std::string_view) {
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

Answer ConfigurationMethods::reload(std::string_view) {
  ConfigurationEdit edit(state_);
  if (Status done = edit.reload(); !done) return std::move(done).error();
  Json names = Json::array();
  for (const Json& resource : state_.now()->resources) names.push_back(resource["name"]);
  return to_text({{"ok", true}, {"resources", std::move(names)}});
}

}  // namespace quarry::engine
