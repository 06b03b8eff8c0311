#include "engine/model_sources.h"

#include "base/json.h"
#include "base/schema.h"
#include "base/text.h"
#include "config/model_table.h"
#include "plugins/unavailable_type.h"

#include <quarry/model.h>

#include <algorithm>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// `lower` with the values of `upper`, each value with its own place.
config::Table merged(const config::Table& upper, const config::Table& lower) {
  Json options = *parse_json(lower.json);
  options.update(*parse_json(upper.json));
  config::Table out{to_text(options), lower.places};
  for (const auto& [pointer, place] : upper.places) out.places[pointer] = place;
  return out;
}

std::set<std::string> known_names(const config::Model& model, plugins::Registry& registry) {
  const auto providers = registry.names(QUARRY_MODEL);
  std::set<std::string> out(providers.begin(), providers.end());
  for (const auto& [name, instance] : model.instances) out.insert(name);
  for (const auto& plugin : registry.unusable()) {
    for (const auto& component : plugin.manifest.components) {
      if (component.kind == QUARRY_MODEL) out.insert(component.name);
    }
  }
  return out;
}

Error with_tag(Error error, std::string_view tag) {
  error.tag = tag;
  return error;
}

/// Mistakes in `options` by the provider's schema, if it has one; others are reported by the
/// provider itself. A table that the schema does not know may have been meant as an instance.
std::vector<FieldError> mistakes_in(const plugins::ModelProvider& provider, const Json& options) {
  if (options.empty()) return {};
  const auto schema = parse_json(provider.describe().schema);
  auto found = schema ? mistakes_by(*schema, options, Schema::Unknown::kRefuse)
                      : Result<std::vector<FieldError>>(schema.error());
  if (!found) return {};  // a mistake of the plugin; its provider has checked the options
  std::vector<FieldError> out = std::move(*found);
  for (FieldError& mistake : out) {
    const Json::json_pointer at(mistake.field);
    if (mistake.message.starts_with("is not known") && options.contains(at) &&
        options.at(at).is_object()) {
      mistake.message += "; a table that names a model has a \"provider\"";
    }
  }
  return out;
}

class Maker {
 public:
  Maker(std::string_view id, const config::Model& model, plugins::Registry& registry)
      : model_(model), registry_(registry) {
    out_.id = id;
  }

  Result<ModelSource> run() {
    if (Status found = find(); !found) return std::move(found).error();
    auto made = registry_.make_model_provider(out_.provider, table_.json);
    if (!made) return refusal(std::move(made).error());
    auto mistakes = mistakes_in(**made, *parse_json(table_.json));
    if (!mistakes.empty()) return misconfigured(std::move(mistakes));
    out_.options = table_.json;
    out_.made = std::move(*made);
    return std::move(out_);
  }

 private:
  Status find() {
    out_.provider = out_.id;
    const auto providers = registry_.names(QUARRY_MODEL);
    const auto instance = model_.instances.find(out_.id);
    if (instance != model_.instances.end()) {
      out_.provider = instance->second.provider;
      out_.model = instance->second.name;
      table_ = instance->second.options;
    } else if (!is_offered(providers, out_.id)) {
      if (auto why = why_unusable(out_.id)) return std::move(*why);
      const auto known = known_names(model_, registry_);
      return unknown_model_source(out_.id, {known.begin(), known.end()});
    }
    if (!is_offered(providers, out_.provider)) {
      auto why = why_unusable(out_.provider);
      return why ? std::move(*why) : unknown_provider(providers);
    }
    if (out_.id != model_.provider) return {};
    table_ = merged(model_.options, table_);
    if (!model_.name.empty()) out_.model = model_.name;
    return {};
  }

  static bool is_offered(const std::vector<std::string>& providers, const std::string& name) {
    return std::ranges::find(providers, name) != providers.end();
  }

  /// The error of a provider whose plugin cannot be used.
  [[nodiscard]] std::optional<Error> why_unusable(const std::string& provider) const {
    auto why = plugins::why_unusable(registry_.unusable(), QUARRY_MODEL, provider);
    if (!why) return why;
    return with_tag(std::move(*why).in("the model provider " + out_.id), "ProviderOptionsError");
  }

  Error unknown_provider(const std::vector<std::string>& providers) const {
    Error error = unknown_model_source(out_.provider, providers);
    const auto place = table_.places.find("/provider");
    return place == table_.places.end() ? error : std::move(error).in(place->second.text());
  }

  /// The provider's own error, unless the schema finds mistakes, which has near names.
  Error refusal(Error error) const {
    const auto plain = registry_.make_model_provider(out_.provider, "{}");
    auto mistakes =
        plain ? mistakes_in(**plain, *parse_json(table_.json)) : std::vector<FieldError>();
    if (!mistakes.empty()) return misconfigured(std::move(mistakes));
    if (!error.details.empty()) return misconfigured(std::move(error.details));
    return with_tag(std::move(error).in("the model provider " + out_.id), "ProviderOptionsError");
  }

  Error misconfigured(std::vector<FieldError> mistakes) const {
    if (!model_.instances.contains(out_.id)) config::name_own_model_keys(mistakes);
    Error error =
        invalid("the options of the model provider " + out_.id, "ConfigError", std::move(mistakes));
    return table_.places.empty() ? error : config::at_places(std::move(error), table_);
  }

  const config::Model& model_;
  plugins::Registry& registry_;
  ModelSource out_;
  config::Table table_;
};

std::string unnamed_option(const std::string& key, const Json& value) {
  if (const auto meant = config::own_model_key_like(key); !meant.empty()) {
    return "is not known; did you mean \"" + meant + "\"?";
  }
  if (value.is_object()) return "is a table of a model without the \"provider\" that it needs";
  return "is an option of a provider, and [model] names none; set provider, or put it into a table "
         "such as [model.openai] with provider = \"openai\"";
}

}  // namespace

Status check_unnamed_options(const config::Model& model) {
  if (model.provider != "auto") return {};
  std::vector<FieldError> mistakes;
  const Json options = *parse_json(model.options.json);
  for (const auto& [key, value] : options.items()) {
    mistakes.push_back({child_pointer("", key), unnamed_option(key, value)});
  }
  if (mistakes.empty()) return {};
  return config::at_places(invalid("", "ConfigError", std::move(mistakes)), model.options);
}

Result<ModelSource> make_model_source(std::string_view id, const config::Model& model,
                                      plugins::Registry& registry) {
  return Maker(id, model, registry).run();
}

Result<ModelSources> make_model_sources(const config::Model& model, plugins::Registry& registry) {
  if (Status checked = check_unnamed_options(model); !checked) return std::move(checked).error();
  ModelSources out;
  for (const std::string& id : known_names(model, registry)) {
    auto source = make_model_source(id, model, registry);
    const bool configured = model.instances.contains(id) || model.provider == id;
    if (!source && configured && source.error().tag == "ConfigError") {
      return std::move(source).error();
    }
    out.emplace(id, std::move(source));
  }
  return out;
}

Error unknown_model_source(std::string_view id, const std::vector<std::string>& known) {
  const auto near = nearest(id, known);
  return Error{Code::kNotFound,
               "there is no model provider \"" + std::string(id) + "\"" +
                   (near ? "; did you mean \"" + *near + "\"?" : ""),
               "There are: " + join(known, ", ") + "."}
      .tagged("ProviderNotFoundError");
}

std::vector<std::string> names_of(const ModelSources& sources) {
  std::vector<std::string> out;
  for (const auto& [id, source] : sources) out.push_back(id);
  return out;
}

}  // namespace quarry::engine
