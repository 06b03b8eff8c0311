#include "ask/model_failure.h"
#include "ask/unpriced.h"
#include "base/text.h"
#include "engine/methods/methods.h"
#include "engine/model_listing.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kModelsResult = R"json({
  "type": "object", "required": ["all", "connected", "providers", "chosen", "fallbacks"],
  "properties": {
    "all": {"type": "array", "items": {
      "type": "object", "required": ["id", "models"],
      "properties": {"id": {"type": "string"},
                     "models": {"type": "array", "items": {"type": "string"}}}}},
    "connected": {"type": "array", "items": {"type": "string"}},
    "providers": {"type": "array", "items": {
      "type": "object", "required": ["id", "provider", "model", "models", "reachable"],
      "properties": {
        "id": {"type": "string"}, "provider": {"type": "string"}, "model": {"type": "string"},
        "models": {"type": "array", "items": {"type": "string"}},
        "reachable": {"type": "boolean"}, "reason": {"type": "string"},
        "hint": {"type": "string"}, "local": {"type": "boolean"}, "address": {"type": "string"},
        "keys": {"type": "array", "items": {"type": "string"}}}}},
    "chosen": {"type": ["object", "null"], "required": ["provider", "model"],
               "properties": {"provider": {"type": "string"}, "model": {"type": "string"},
                              "priced": {"type": "boolean"}, "tools": {"type": "boolean"}}},
    "fallbacks": {"type": "array", "items": {
      "type": "object", "required": ["provider", "model"],
      "properties": {"provider": {"type": "string"}, "model": {"type": "string"}}}}
  }
})json";

constexpr std::string_view kSelectResult = R"json({
  "type": "object", "required": ["provider", "model", "savedTo"],
  "properties": {"provider": {"type": "string"}, "model": {"type": "string"},
                 "savedTo": {"type": "string"}, "hint": {"type": "string"}}
})json";

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kNotConnected = "ProviderNotConnectedError";

Json to_json(const Models::Choice& choice) {
  return {{"provider", choice.provider}, {"model", choice.model}};
}

Json ids_of(const std::vector<plugins::ModelInfo>& models) {
  Json out = Json::array();
  for (const auto& model : models) out.push_back(model.id);
  return out;
}

/// True if the source has its secrets, and its server runs if it is on this machine.
bool is_connected(const Listed& listed) {
  return !listed.failure || listed.failure->tag != kNotConnected;
}

/// One provider of models.list.
Json provider_json(const Models::Choice& choice, const ModelSource& source, const Listed& listed) {
  const plugins::ModelDescription& described = source.made->describe();
  Json out = {{"id", source.id},
              {"provider", source.provider},
              {"model", choice.model},
              {"models", ids_of(listed.models)},
              {"reachable", !listed.failure},
              {"local", described.local},
              {"keys", described.needs}};
  if (!described.endpoint.empty()) out["address"] = described.endpoint;
  if (!listed.failure) return out;
  out["reason"] = listed.failure->message;
  const bool is_refused = listed.failure->code == Code::kUnauthenticated;
  const std::string hint =
      listed.failure->hint.empty() && is_refused ? ask::kCheckTheKey : listed.failure->hint;
  if (!hint.empty()) out["hint"] = hint;
  return out;
}

/// The model that questions use, and if known whether it has a price, and that it cannot call
/// tools; null if there is none.
Json chosen_json(const State& now, const std::stop_token& stop) {
  const auto chosen = now.models->chosen();
  if (!chosen) return {};
  Json out = to_json(*chosen);
  const auto candidates = now.models->candidates(now.pricing, stop);
  if (!candidates) return out;
  out["priced"] = ask::is_priced(candidates->front());
  if (!candidates->front().calls_tools) out["tools"] = false;
  return out;
}

Json broken_json(const std::string& id, const Error& why) {
  return {{"id", id},           {"provider", id},       {"model", ""}, {"models", Json::array()},
          {"reachable", false}, {"reason", why.message}};
}

Status check_auto_choice(const ModelChoice& choice) {
  if (choice.options.empty()) return {};
  return Error{Code::kInvalidArgument, "\"auto\" takes no options of a provider",
               "Name the provider that they are meant for."}
      .tagged("ProviderOptionsError");
}

/// `model` after setting `choice` with `options`.
config::Model with_choice(config::Model model, const ModelChoice& choice, const Json& options) {
  Json table = model.provider == choice.provider ? *parse_json(model.options.json) : Json::object();
  for (const auto& [key, value] : options.items()) {
    if (value.is_null()) {
      table.erase(key);
    } else {
      table[key] = value;
    }
  }
  model.provider = choice.provider;
  model.name = choice.model;
  model.options = {to_text(table), {}};
  return model;
}

/// True if `models` has `name`, which may omit the tag ("llama3" of "llama3:latest").
bool lists(const std::vector<plugins::ModelInfo>& models, const std::string& name) {
  return std::ranges::any_of(models, [&](const plugins::ModelInfo& model) {
    return model.id == name || model.id.starts_with(name + ":");
  });
}

/// Warning that a saved choice has no effect or may be wrong; empty if there is none.
std::string warning_of(const State& now, const ModelChoice& choice, const std::stop_token& stop) {
  const config::Model& model = now.config.model;
  if (model.provider != choice.provider) {
    const auto place = model.options.places.find("/provider");
    const bool known = place != model.options.places.end();
    return (known ? place->second.text() : "Another place") + " names \"" + model.provider +
           "\", which overrides the saved choice.";
  }
  const auto source = now.models->sources().find(choice.provider);
  if (choice.model.empty() || source == now.models->sources().end() || !source->second) return {};
  // A list may be incomplete, so a missing model is not rejected.
  const auto models = now.models->listing().of(*source->second, stop);
  if (!models || models->empty() || lists(*models, choice.model)) return {};
  std::vector<std::string> ids;
  for (const auto& listed : *models) ids.push_back(listed.id);
  const auto near = nearest(choice.model, ids);
  return choice.provider + " lists no model \"" + choice.model + "\"" +
         (near ? "; did you mean \"" + *near + "\"?" : ".");
}

Answer list_models(const MethodServices& engine, const Json&, const std::stop_token& stop) {
  const auto now = engine.state.now();
  std::vector<const ModelSource*> sources;
  for (const auto& [id, source] : now->models->sources()) {
    if (source) sources.push_back(&*source);
  }
  const auto listed = now->models->listing().all(sources, stop);
  now->models->settle_auto(stop);
  if (stop.stop_requested()) return Error{Code::kCancelled, "the call was cancelled"};
  Json all = Json::array();
  Json connected = Json::array();
  Json providers = Json::array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    all.push_back({{"id", sources[i]->id}, {"models", ids_of(listed[i].models)}});
    if (is_connected(listed[i])) connected.push_back(sources[i]->id);
    const auto choice = now->models->choice(*sources[i], sources[i]->model);
    providers.push_back(provider_json(choice, *sources[i], listed[i]));
  }
  for (const auto& [id, source] : now->models->sources()) {
    if (!source) providers.push_back(broken_json(id, source.error()));
  }
  Json fallbacks = Json::array();
  for (const auto& fallback : now->models->fallbacks()) fallbacks.push_back(to_json(fallback));
  return to_text({{"all", std::move(all)},
                  {"connected", std::move(connected)},
                  {"providers", std::move(providers)},
                  {"chosen", chosen_json(*now, stop)},
                  {"fallbacks", std::move(fallbacks)}});
}

Status check_choice(const MethodServices& engine, const ModelChoice& choice) {
  const auto options = config::read_model_options(choice.options);
  if (!options) return options.error();
  if (choice.provider == kAuto) return check_auto_choice(choice);
  const auto now = engine.state.now();
  const auto source = make_model_source(
      choice.provider, with_choice(now->config.model, choice, *parse_json(options->json)),
      *now->plugins);
  if (!source) {
    Error error = source.error();
    if (error.tag == "ConfigError") error.tag = "ProviderOptionsError";
    return error;
  }
  std::vector<std::string> given;
  for (const std::string& need : source->made->describe().needs) {
    const auto reference = options->secrets.find(need);
    if (reference == options->secrets.end()) continue;
    const Status there = engine.host.secrets.check(secret_source(reference->second), {});
    if (!there) return not_connected(*source, Error(there.error()).tagged(kNotConnected));
    given.push_back(need);
  }
  auto missing = missing_secret(*source, engine.host.secrets, {}, given);
  return missing ? Status(not_connected(*source, std::move(*missing))) : Status();
}

Answer select_model(const MethodServices& engine, const Json& params, const std::stop_token& stop) {
  const ModelChoice choice = read_model_choice(params);
  std::filesystem::path file;
  {
    ConfigurationEdit edit(engine.state);
    if (Status checked = check_choice(engine, choice); !checked) return std::move(checked).error();
    file = engine.state.now()->config.writable_file;
    Status done =
        config::set_model(edit.sources(), file, choice.provider, choice.model, choice.options);
    if (done) done = edit.reload();
    if (!done) return std::move(done).error();
  }
  const auto now = engine.state.now();
  const auto chosen = now->models->chosen();
  if (!chosen) return chosen.error();
  Json answer = to_json(*chosen);
  answer["savedTo"] = file.string();
  if (std::string hint = warning_of(*now, choice, stop); !hint.empty()) answer["hint"] = hint;
  return to_text(answer);
}

}  // namespace

void add_model_methods(MethodTable& table) {
  table.add({.name = "models.list",
             .summary = "The providers that are configured, their models, whether each can be "
                        "reached and why not, and the one that is used.",
             .result = kModelsResult,
             .run = UntilStopped{list_models}});
  table.add({.name = "models.select",
             .summary = "Writes another model to the configuration and uses it from the next "
                        "question on.",
             .params = kModelParams,
             .result = kSelectResult,
             .run = UntilStopped{select_model}});
}

}  // namespace quarry::engine
