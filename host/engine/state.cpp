#include "engine/state.h"

#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "engine/price_catalogues.h"
#include "engine/requests.h"
#include "engine/resource_names.h"

#include <quarry/resource.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// What a type of resource is configured with: the limits that the host sets, too.
std::string resource_configuration(const config::Config& config) {
  Json out = Json::object();
  if (config.local_roots) {
    out["local_roots"] = Json::array();
    for (const auto& root : *config.local_roots) out["local_roots"].push_back(root.string());
  }
  return to_text(out);
}

Json schema_of(const plugins::ResourceType& type) {
  const auto schema = parse_json(type.describe().schema);
  return schema && schema->is_object() ? *schema : Json::object();
}

/// The type's schema with what every resource has.
Json full_schema(const plugins::ResourceType& type) {
  Json schema = schema_of(type);
  const Json common = *parse_json(kResourceSchema);
  schema["type"] = "object";
  for (const auto& [field, rule] : common["properties"].items()) schema["properties"][field] = rule;
  schema["properties"]["type"] = {{"const", type.describe().type}};
  Json required = schema.value("required", Json::array());
  for (const char* field : {"type", "name"}) {
    if (std::find(required.begin(), required.end(), field) == required.end()) {
      required.push_back(field);
    }
  }
  schema["required"] = required;
  return schema;
}

class StateMaker {
 public:
  StateMaker(config::Config config, Foundation& foundation)
      : foundation_(foundation), state_(std::make_shared<State>()) {
    state_->config = std::move(config);
  }

  Result<std::shared_ptr<const State>> run() {
    foundation_.secrets.update(secret_sources(state_->config));
    make_types();
    for (const config::Resource& resource : state_->config.resources) {
      if (Status added = add_resource(resource); !added) return std::move(added).error();
    }
    auto catalogues = make_catalogues(state_->config, *foundation_.registry);
    if (!catalogues) return std::move(catalogues).error();
    state_->pricing = std::move(*catalogues);
    auto models = Models::make(state_->config, foundation_);
    if (!models) return std::move(models).error();
    state_->models = std::move(*models);
    const auto& problems = state_->models->problems();
    state_->problems.insert(state_->problems.end(), problems.begin(), problems.end());
    render();
    return std::shared_ptr<const State>(std::move(state_));
  }

 private:
  void make_types() {
    const std::string configuration = resource_configuration(state_->config);
    for (const std::string& name : foundation_.registry->names(QUARRY_RESOURCE)) {
      auto type = foundation_.registry->make_resource_type(name, configuration);
      if (type) {
        state_->types.emplace(name, std::move(*type));
      } else {
        state_->problems.push_back(type.error().message);
      }
    }
  }

  /// Mistakes of form end the start; what may pass (a folder that is away) shows when it is asked.
  Status add_resource(const config::Resource& resource) {
    const auto type = state_->types.find(resource.type);
    if (type == state_->types.end()) {
      Error unknown = unknown_type(resource.type);
      return config::at_places(std::move(unknown), resource.fields);
    }
    const auto schema = Schema::compile(full_schema(*type->second));
    if (!schema) return Error(schema.error()).in(resource.type).tagged("ConfigError");
    Json fields = *parse_json(resource.fields.json);
    auto mistakes = schema->check(fields, Schema::Unknown::kRefuse);
    if (!mistakes.empty()) {
      return config::at_places(invalid("", "ConfigError", std::move(mistakes)), resource.fields);
    }
    state_->resources.push_back(std::move(fields));
    return {};
  }

  Error unknown_type(const std::string& type) const {
    std::vector<std::string> known;
    for (const auto& [name, unused] : state_->types) known.push_back(name);
    Error error{Code::kInvalidArgument, "", "\"quarry plugins list\" shows what is installed."};
    error.tag = "ConfigError";
    error.details = {
        {"/type", "is \"" + type + "\", which no plugin offers; there are: " + join(known, ", ")}};
    return error;
  }

  void render() {
    std::string list = "{\"resources\":[";
    for (const Json& resource : state_->resources) {
      if (list.back() != '[') list += ',';
      list += wire_form(resource, full_schema(*state_->types.at(resource["type"])));
    }
    state_->resources_json = list + "]}";
    Json variants = Json::array();
    for (const auto& [name, type] : state_->types) variants.push_back(full_schema(*type));
    state_->schemas_json = to_text({{"question", *parse_json(question_schema())},
                                    {"resource", {{"oneOf", std::move(variants)}}}});
  }

  Foundation& foundation_;
  std::shared_ptr<State> state_;
};

}  // namespace

const Json* State::find(std::string_view name) const {
  const auto found = std::find_if(resources.begin(), resources.end(), [&](const Json& resource) {
    return same_name(name, resource["name"].get_ref<const std::string&>());
  });
  return found == resources.end() ? nullptr : &*found;
}

Result<std::shared_ptr<const State>> make_state(config::Config config, Foundation& foundation) {
  return StateMaker(std::move(config), foundation).run();
}

}  // namespace quarry::engine
