#include "base/schema.h"
#include "base/text.h"
#include "engine/requests.h"
#include "engine/running_engine.h"

#include <quarry/model.h>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

Json model_ids(plugins::ModelProvider& provider) {
  Json out = Json::array();
  const auto models = provider.models({});
  if (!models) return out;
  for (const auto& model : *models) out.push_back(model.id);
  return out;
}

}  // namespace

RunningEngine::Answer RunningEngine::health(std::string_view) {
  const auto now = state();
  return to_text({{"ok", true},
                  {"service", "quarry"},
                  {"version", QUARRY_VERSION},
                  {"ready", now->model.has_value()},
                  {"problems", problems()}});
}

RunningEngine::Answer RunningEngine::schemas(std::string_view) {
  return state()->schemas_json;
}

RunningEngine::Answer RunningEngine::show_config(std::string_view) {
  const auto now = state();
  const config::Config& config = now->config;
  const auto cache = foundation_->paths.cache();
  return to_text({{"provider", now->model ? now->model->provider : config.model.provider},
                  {"model", now->model ? now->model->name : config.model.name},
                  {"providerTimeoutMs", config.model.max_time.count() * 1000},
                  {"maxSteps", config.model.max_steps},
                  {"resourcesDirectory", cache ? cache->string() : ""},
                  {"resourceCount", now->resources.size()},
                  {"configFile", config.writable_file.string()}});
}

Status RunningEngine::reload() {
  auto config = config::load(options_.config);
  if (!config) return std::move(config).error();
  auto made = make_state(std::move(*config), *foundation_);
  if (!made) return std::move(made).error();
  std::lock_guard lock(state_mutex_);
  state_ = std::move(*made);
  return {};
}

RunningEngine::Answer RunningEngine::reload_config(std::string_view) {
  std::lock_guard lock(edit_mutex_);
  if (Status done = reload(); !done) return std::move(done).error();
  Json names = Json::array();
  for (const Json& resource : state()->resources) names.push_back(resource["name"]);
  return to_text({{"ok", true}, {"resources", std::move(names)}});
}

RunningEngine::Answer RunningEngine::list_models(std::string_view) {
  Json all = Json::array();
  Json connected = Json::array();
  for (const auto& [name, provider] : model_providers()) {
    all.push_back({{"id", name}, {"models", model_ids(*provider)}});
    if (missing_secrets(provider->describe().needs, *foundation_).empty()) {
      connected.push_back(name);
    }
  }
  return to_text({{"all", std::move(all)}, {"connected", std::move(connected)}});
}

/// Every provider that can be made, with the options of the configuration if it is the chosen one.
plugins::ModelProviders RunningEngine::model_providers() {
  std::lock_guard lock(edit_mutex_);  // the registry has one user at a time
  const auto now = state();
  plugins::ModelProviders out;
  for (const std::string& name : foundation_->registry->names(QUARRY_MODEL)) {
    const bool chosen = now->config.model.provider == name;
    auto provider = foundation_->registry->make_model_provider(
        name, chosen ? now->config.model.options.json : "{}");
    if (provider) out.emplace(name, std::move(*provider));
  }
  return out;
}

RunningEngine::Answer RunningEngine::select_model(std::string_view params) {
  const auto choice = read_model_choice(params);
  if (!choice) return choice.error();
  std::lock_guard lock(edit_mutex_);
  const auto provider =
      foundation_->registry->make_model_provider(choice->provider, choice->options);
  if (!provider) {
    Error error = provider.error();
    error.tag = error.code == Code::kNotFound ? "ProviderNotFoundError" : "ProviderOptionsError";
    return error;
  }
  const auto missing = missing_secrets((*provider)->describe().needs, *foundation_);
  if (!missing.empty()) {
    return Error{Code::kUnauthenticated,
                 "the provider \"" + choice->provider + "\" needs " + join(missing, ", "),
                 "Set it in the environment, or as a secret in the configuration."}
        .tagged("ProviderNotAuthenticatedError");
  }
  const auto file = state()->config.writable_file;
  Status done =
      config::set_model(file, choice->provider, choice->model, *parse_json(choice->options));
  if (done) done = reload();
  if (!done) return std::move(done).error();
  return to_text(
      {{"provider", choice->provider}, {"model", choice->model}, {"savedTo", file.string()}});
}

RunningEngine::Answer RunningEngine::clear_cache(std::string_view) {
  const auto cleared = library_->clear();
  if (!cleared) return Error(cleared.error()).tagged("ResourceError");
  return to_text({{"cleared", *cleared}});
}

RunningEngine::Answer RunningEngine::metrics(std::string_view) {
  auto& metrics = foundation_->metrics;
  static_cast<void>(metrics.gauge("questions_running", "", static_cast<double>(desk_->running())));
  static_cast<void>(metrics.gauge("resources", "", static_cast<double>(state()->resources.size())));
  return to_text({{"text", metrics.expose()}});
}

}  // namespace quarry::engine
