#include "authoring/trial_functions.h"

#include "authoring/trial_retrieval.h"
#include "authoring/trial_sink.h"
#include "base/schema.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/exit_code.h"
#include "conformance/fetched_files.h"
#include "engine/resource_types.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <algorithm>
#include <array>
#include <optional>

namespace quarry::authoring {
namespace {

struct TrialFunction {
  std::string_view kind;
  const char* name;
  std::size_t arguments;
  const char* usage;  ///< its arguments
};

constexpr auto kFunctions = std::to_array<TrialFunction>({
    {QUARRY_RESOURCE, "describe", 0, ""},
    {QUARRY_RESOURCE, "parse_reference", 1, "TEXT"},
    {QUARRY_RESOURCE, "normalise", 1, "RESOURCE"},
    {QUARRY_RESOURCE, "resolve", 1, "RESOURCE"},
    {QUARRY_RESOURCE, "fetch", 1, "RESOURCE"},
    {QUARRY_MODEL, "describe", 0, ""},
    {QUARRY_MODEL, "models", 0, ""},
    {QUARRY_MODEL, "generate", 1, "TEXT"},
    {QUARRY_EMBEDDING, "describe", 0, ""},
    {QUARRY_EMBEDDING, "encode", 1, "TEXT"},
    {QUARRY_RERANK, "describe", 0, ""},
    {QUARRY_RERANK, "score", 2, "QUERY DOCUMENT"},
    {QUARRY_PRICING, "refresh", 0, ""},
    {QUARRY_PRICING, "rates", 2, "PROVIDER MODEL"},
});

const TrialFunction* find_function(std::string_view kind, std::string_view name) {
  const auto found = std::ranges::find_if(kFunctions, [&](const TrialFunction& each) {
    return each.kind == kind && each.name == name;
  });
  return found == kFunctions.end() ? nullptr : &*found;
}

std::string usage_of(const TrialFunction& function) {
  const std::string usage = function.usage;
  return usage.empty() ? function.name : std::string(function.name) + " " + usage;
}

Error no_such_function(const plugins::Manifest& manifest, const std::string& function) {
  std::vector<std::string> known;
  for (const auto& component : manifest.components) {
    for (const auto& each : kFunctions) {
      if (each.kind == component.kind) known.push_back(usage_of(each));
    }
  }
  if (known.empty()) {
    return {Code::kUnsupported,
            "plugin " + manifest.id + " has no component that can be called by itself",
            "use it in a host: name the directory above its folder in plugin_path"};
  }
  return cli::usage_error(
      "no component of plugin " + manifest.id + " has a function \"" + function + "\"",
      "there are: " + join(known, ", "));
}

Error several_components(const std::vector<std::string>& names, const std::string& function) {
  return cli::usage_error("several components have a function \"" + function + "\"",
                          "choose one of them with --component: " + join(names, ", "));
}

Status check_count(const TrialCall& call) {
  const auto* function = find_function(call.component->kind, call.function);
  if (function->arguments == call.arguments.size()) return {};
  return cli::usage_error(call.function + " takes " + std::to_string(function->arguments) +
                              " arguments, not " + std::to_string(call.arguments.size()),
                          "write " + usage_of(*function));
}

/// A resource written as JSON, by the name of a configured one, or as a reference.
Result<Json> read_resource(const PluginTrial& trial, plugins::ResourceType& type,
                           const std::string& text) {
  if (trim(text).starts_with('{')) {
    auto json = parse_json(text);
    if (!json) return cli::usage_error("the resource: " + json.error().message);
    return json;
  }
  for (const auto& configured : trial.config().resources) {
    if (configured.name == text && configured.type == type.describe().type) {
      return *parse_json(configured.fields.json);
    }
  }
  auto recognised = type.parse_reference({}, text);
  if (!recognised) return std::move(recognised.error()).in("parse_reference");
  if (*recognised) return std::move((*recognised)->resource);
  return Error(Code::kInvalidArgument,
               "\"" + text +
                   "\" is no JSON object, no configured resource, and no reference that " +
                   type.describe().type + " recognises",
               "write the fields of the resource, as in '{\"path\": \"/tmp\"}'");
}

/// The resource as a host passes it to normalise, which checks it by the type's schema first.
Result<Json> checked_resource(const PluginTrial& trial, plugins::ResourceType& type,
                              const std::string& text) {
  auto resource = read_resource(trial, type, text);
  if (!resource) return resource;
  const auto& name = type.describe().type;
  (*resource)["type"] = name;
  if (!resource->contains("name")) (*resource)["name"] = name;
  auto mistakes = mistakes_by(engine::file_schema(type), *resource, Schema::Unknown::kRefuse);
  if (!mistakes) return std::move(mistakes.error()).in("its schema");
  if (!mistakes->empty()) return invalid("the resource", "", std::move(*mistakes));
  return resource;
}

Result<Json> canonical_resource(const PluginTrial& trial, plugins::ResourceType& type,
                                const services::Call& call, const std::string& text) {
  auto resource = checked_resource(trial, type, text);
  if (!resource) return resource;
  auto canonical = type.normalise(call, *resource);
  return canonical ? std::move(canonical)
                   : Result<Json>(std::move(canonical.error()).in("normalise"));
}

/// `text` is JSON of a value of the contract.
Json json_or_text(const std::string& text) {
  auto json = parse_json(text);
  return json ? std::move(*json) : Json(text);
}

Json description_json(const plugins::ResourceDescription& described) {
  return {{"type", described.type},
          {"title", described.title},
          {"schema", json_or_text(described.schema)},
          {"examples", described.examples},
          {"inPlace", described.in_place}};
}

Json description_json(const plugins::ModelDescription& described) {
  return {{"title", described.title},
          {"schema", json_or_text(described.schema)},
          {"needs", described.needs},
          {"local", described.local},
          {"vendor", described.vendor},
          {"endpoint", described.endpoint},
          {"defaultModel", described.default_model}};
}

Json version_json(const plugins::ResourceVersion& version) {
  return {{"id", version.id},
          {"immutable", version.immutable},
          {"display", version.display},
          {"integrity", version.integrity},
          {"resource", version.fields}};
}

Json metadata_json(const plugins::ResourceMetadata& metadata) {
  Json out{{"permalink", metadata.permalink},
           {"notes", metadata.notes},
           {"generated", metadata.generated},
           {"state", nullptr}};
  if (!metadata.state.empty()) out["state"] = json_or_text(metadata.state);
  return out;
}

/// [{"path", "bytes", "leftOut"?, "permalink"?, "title"?, "mediaType"?}], by path.
Json files_json(const conformance::FetchedFiles& tree) {
  Json out = Json::array();
  for (const auto& [path, file] : tree.files()) {
    Json row{{"path", to_utf8(path)}, {"bytes", file.bytes}};
    if (!file.left_out.empty()) row["leftOut"] = file.left_out;
    if (!file.facts.permalink.empty()) row["permalink"] = file.facts.permalink;
    if (!file.facts.title.empty()) row["title"] = file.facts.title;
    if (!file.facts.media_type.empty()) row["mediaType"] = file.facts.media_type;
    out.push_back(std::move(row));
  }
  return out;
}

Result<Json> fetched(plugins::ResourceType& type, const services::Call& call, Json resource,
                     conformance::FetchedFiles& tree) {
  const auto version = type.resolve(call, resource, {});
  if (!version) return Error(version.error()).in("resolve");
  for (const auto& [field, value] : version->fields.items()) {
    if (!resource.contains(field)) resource[field] = value;
  }
  const auto metadata = type.fetch(call, resource, *version, {}, tree);
  if (!metadata) return Error(metadata.error()).in("fetch");
  Json out{{"version", version_json(*version)},
           {"metadata", metadata_json(*metadata)},
           {"files", files_json(tree)},
           {"inPlace", nullptr}};
  if (!tree.in_place().empty()) out["inPlace"] = tree.in_place().string();
  return out;
}

Result<RunTrial> resource_trial(PluginTrial& trial, const TrialCall& wanted) {
  auto made = trial.resource_type(wanted.component->name);
  if (!made) return std::move(made.error());
  return [&trial, type = std::move(*made), wanted](const services::Call& call,
                                                   const OnText&) -> Result<Json> {
    const auto& function = wanted.function;
    if (function == "describe") return description_json(type->describe());
    const auto& text = wanted.arguments.front();
    if (function == "parse_reference") {
      const auto recognised = type->parse_reference(call, text);
      if (!recognised) return recognised.error();
      if (!*recognised) return Json();
      return Json{{"resource", (*recognised)->resource}, {"confidence", (*recognised)->confidence}};
    }
    auto resource = canonical_resource(trial, *type, call, text);
    if (!resource || function == "normalise") return resource;
    if (function == "resolve") {
      const auto version = type->resolve(call, *resource, {});
      return version ? version_json(*version) : Result<Json>(version.error());
    }
    conformance::FetchedFiles tree({.scratch = trial.scratch(), .to = wanted.to});
    return fetched(*type, call, std::move(*resource), tree);
  };
}

Json chat_request(const PluginTrial::Provider& provider, const TrialCall& wanted) {
  constexpr int kMaxOutputTokens = 4096;
  return {{"model", wanted.model.empty() ? provider.model : wanted.model},
          {"system", ""},
          {"messages", {{{"role", "user"}, {"text", wanted.arguments.front()}}}},
          {"tools", Json::array()},
          {"maxOutputTokens", kMaxOutputTokens},
          {"toolsAllowed", false},
          {"options", json_or_text(provider.options)}};
}

Result<Json> models_json(plugins::ModelProvider& provider, const services::Call& call) {
  const auto listed = provider.models(call);
  if (!listed) return listed.error();
  Json out = Json::array();
  for (const auto& model : *listed) {
    out.push_back({{"id", model.id}, {"contextTokens", model.context_tokens}});
    if (!model.calls_tools) out.back()["tools"] = false;
  }
  return out;
}

Result<RunTrial> model_trial(PluginTrial& trial, const TrialCall& wanted) {
  auto made = trial.model_provider(wanted.component->name);
  if (!made) return std::move(made.error());
  return [&trial, provider = std::move(*made), wanted](const services::Call& call,
                                                       const OnText& on_text) -> Result<Json> {
    if (wanted.function == "describe") return description_json(provider.made->describe());
    if (wanted.function == "models") return models_json(*provider.made, call);
    TrialSink sink(call, on_text);
    const auto request = to_text(chat_request(provider, wanted));
    auto done = trial.generate(call, *provider.made, request, sink);
    return done ? sink.value() : Result<Json>(std::move(done.error()));
  };
}

Json amounts_json(const plugins::Rates& rates) {
  Json out = Json::object();
  const auto add = [&](const char* name, const std::optional<Money>& amount) {
    if (amount) out[name] = to_decimal(*amount);
  };
  add("input", rates.input);
  add("output", rates.output);
  add("reasoning", rates.reasoning);
  add("cacheRead", rates.cache_read);
  add("cacheWrite", rates.cache_write);
  return out;
}

Json rates_json(const plugins::ModelRates& known) {
  Json out = amounts_json(known.rates);
  out["source"] = known.source;
  out["date"] = known.date;
  out["tiers"] = Json::array();
  for (const auto& tier : known.tiers) {
    Json row = amounts_json(tier.rates);
    row["above"] = tier.above;
    out["tiers"].push_back(std::move(row));
  }
  return out;
}

Result<RunTrial> pricing_trial(PluginTrial& trial, const TrialCall& wanted) {
  auto made = trial.pricing(wanted.component->name);
  if (!made) return std::move(made.error());
  return [catalogue = std::move(*made), wanted](const services::Call& call,
                                                const OnText&) -> Result<Json> {
    if (wanted.function == "refresh") {
      const auto done = catalogue->refresh(call);
      if (!done) return done.error();
      Json out{{"changed", done->changed}, {"nextMs", nullptr}};
      if (done->next) out["nextMs"] = done->next->count();
      return out;
    }
    const auto rates = catalogue->rates(wanted.arguments[0], wanted.arguments[1]);
    if (!rates) return rates.error();
    return *rates ? rates_json(**rates) : Json();
  };
}

}  // namespace

Result<TrialCall> trial_call(const plugins::Manifest& manifest, const std::string& component,
                             const std::string& function, std::vector<std::string> arguments) {
  TrialCall out{.component = nullptr,
                .function = function,
                .arguments = std::move(arguments),
                .to = {},
                .model = {}};
  std::vector<std::string> names;
  for (const auto& each : manifest.components) {
    if (!component.empty() && each.name != component) continue;
    if (find_function(each.kind, function) == nullptr) continue;
    out.component = &each;
    names.push_back(each.name);
  }
  if (names.empty()) return no_such_function(manifest, function);
  if (names.size() > 1) return several_components(names, function);
  if (auto counted = check_count(out); !counted) return std::move(counted.error());
  return out;
}

Result<RunTrial> prepare_trial(PluginTrial& trial, const TrialCall& wanted) {
  if (wanted.component->kind == QUARRY_MODEL) return model_trial(trial, wanted);
  if (wanted.component->kind == QUARRY_PRICING) return pricing_trial(trial, wanted);
  if (wanted.component->kind == QUARRY_EMBEDDING || wanted.component->kind == QUARRY_RERANK) {
    return retrieval_trial(trial, wanted);
  }
  return resource_trial(trial, wanted);
}

}  // namespace quarry::authoring
