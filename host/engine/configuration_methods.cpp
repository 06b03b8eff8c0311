#include "engine/running_engine.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
RunningEngine::Answer RunningEngine::health(std::string_view) {
  const auto now = state();
  return to_text({{"ok", true},
                  {"service", "quarry"},
                  {"version", QUARRY_VERSION},
                  {"ready", now->models->chosen().has_value()},
                  {"problems", problems()}});
}

RunningEngine::Answer RunningEngine::schemas(std::string_view) {
  return state()->schemas_json;
}

RunningEngine::Answer RunningEngine::show_config(std::string_view) {
  const auto now = state();
  const config::Config& config = now->config;
  const auto cache = host_services_->paths.cache();
  const auto chosen = now->models->chosen();
  return to_text({{"provider", chosen ? chosen->provider : config.model.provider},
                  {"model", chosen ? chosen->model : config.model.name},
                  {"providerTimeoutMs", config.model.max_time.count() * 1000},
                  {"maxSteps", config.model.max_steps},
                  {"resourcesDirectory", cache ? cache->string() : ""},
                  {"resourceCount", now->resources.size()},
                  {"configFile", config.writable_file.string()}});
}

Status RunningEngine::reload() {
  auto config = config::load(options_.config);
  if (!config) return std::move(config).error();
  Status done = load_state(std::move(*config));
  // The new state reads its secrets while it is made.
  if (!done) host_services_->secrets.update(secret_sources(state()->config));
  return done;
}

Status RunningEngine::load_state(config::Config config) {
  auto made = make_state(std::move(config), *host_services_, options_.locked);
  if (!made) return std::move(made).error();
  const auto model = (*made)->models->chosen();
  if (!model && state()->models->chosen()) return model.error();
  return activate(std::move(*made));
}

/// Running questions keep their state, so its endpoints stay permitted while it exists.
Status RunningEngine::activate(std::shared_ptr<const State> made) {
  std::lock_guard lock(state_mutex_);
  std::erase_if(states_, [](const auto& state) { return state.expired(); });
  states_.push_back(made);
  std::vector<services::Endpoint> endpoints;
  for (const auto& weak : states_) {
    const auto state = weak.lock();
    if (state) std::ranges::copy(state->models->endpoints(), std::back_inserter(endpoints));
  }
  auto egress = services::EgressPolicy::make(made->config.private_hosts, std::move(endpoints));
  if (!egress) return std::move(egress).error().tagged("ConfigError");
  host_services_->egress = *egress;
  state_ = std::move(made);
  return {};
}

RunningEngine::Answer RunningEngine::reload_config(std::string_view) {
  std::lock_guard lock(edit_mutex_);
  if (Status done = reload(); !done) return std::move(done).error();
  Json names = Json::array();
  for (const Json& resource : state()->resources) names.push_back(resource["name"]);
  return to_text({{"ok", true}, {"resources", std::move(names)}});
}

RunningEngine::Answer RunningEngine::metrics(std::string_view) {
  auto& metrics = host_services_->metrics;
  static_cast<void>(
      metrics.gauge("questions_running", "", static_cast<double>(question_registry_->running())));
  static_cast<void>(metrics.gauge("resources", "", static_cast<double>(state()->resources.size())));
  return to_text({{"text", metrics.expose()}});
}

}  // namespace quarry::engine
