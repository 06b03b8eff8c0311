#include "engine/state.h"

#include "base/json_writer.h"
#include "base/schema.h"
#include "base/text.h"
#include "engine/locking.h"
#include "engine/price_catalogues.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"
#include "engine/resource_names.h"
#include "engine/resource_types.h"

#include <quarry/draft/store.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

class StateMaker {
 public:
  StateMaker(config::Config config, std::shared_ptr<plugins::Registry> registry,
             HostServices& host_services)
      : host_services_(host_services), state_(std::make_shared<State>()) {
    state_->config = std::move(config);
    state_->plugins = std::move(registry);
    state_->report = [&log = host_services_.log](std::string_view problem) {
      log.warning("host", problem);
    };
  }

  Result<std::shared_ptr<const State>> run(bool locked) {
    host_services_.secrets.update(secret_sources(state_->config));
    const auto found = state_->plugins->problems().size();
    for (const Error& problem : state_->plugins->problems())
      state_->problems.push_back(with_hint(problem));
    const auto& warnings = state_->config.warnings;
    state_->problems.insert(state_->problems.end(), warnings.begin(), warnings.end());
    if (Status made = make_types(); !made) return std::move(made).error();
    for (const config::Resource& resource : state_->config.resources) {
      if (Status added = add_resource(resource); !added) return std::move(added).error();
    }
    if (Status read = locked ? read_lock() : Status(); !read) return std::move(read).error();
    auto catalogues = make_catalogues(state_->config, *state_->plugins, state_->problems);
    if (!catalogues) return std::move(catalogues).error();
    state_->pricing = std::move(*catalogues);
    auto models = Models::make(state_->config, *state_->plugins, host_services_);
    if (!models) return std::move(models).error();
    state_->models = std::move(*models);
    auto retrieval =
        make_retrieval_providers(state_->config, *state_->plugins, state_->pricing, host_services_);
    if (!retrieval) return std::move(retrieval).error();
    state_->retrieval = std::move(*retrieval);
    std::ranges::copy(state_->models->problems(), std::back_inserter(state_->problems));
    std::ranges::copy(state_->retrieval.problems, std::back_inserter(state_->problems));
    // Those of a reload: plugins whose new code could not make a component.
    for (const Error& problem : state_->plugins->problems() | std::views::drop(found)) {
      state_->problems.push_back(with_hint(problem));
    }
    render();
    return std::shared_ptr<const State>(std::move(state_));
  }

 private:
  Status make_types() {
    auto types = make_resource_types(state_->config, *state_->plugins, state_->problems);
    if (!types) return std::move(types).error();
    state_->types = std::move(*types);
    if (!state_->plugins->names(QUARRY_STORE).empty()) {
      std::vector<std::string> told_already;
      auto strict = make_resource_types(state_->config, *state_->plugins, told_already,
                                        ActsFor::kProjects, &state_->types);
      if (!strict) return std::move(strict).error();
      state_->types_for_tokens = std::move(*strict);
    }
    for (const auto& [name, type] : state_->types) state_->schemas[name] = file_schema(*type);
    return {};
  }

  /// Fails for invalid fields; temporary errors (a missing folder) are reported when it is used.
  Status add_resource(const config::Resource& resource) {
    const Json& rules = state_->schemas.at(resource.type);
    Json fields = *parse_json(resource.fields.json);
    std::vector<FieldError> mistakes;
    auto projects = take_projects(fields, rules, mistakes);
    auto checked = mistakes_by(rules, fields, Schema::Unknown::kRefuse);
    if (!checked) return std::move(checked).error().in(resource.type).tagged("ConfigError");
    std::ranges::move(*checked, std::back_inserter(mistakes));
    std::ranges::move(plain_secrets(state_->config, resource, fields, rules),
                      std::back_inserter(mistakes));
    if (!mistakes.empty()) {
      Error error = invalid("", "ConfigError", std::move(mistakes));
      error.hint =
          "\"quarry config explain\" lists the fields of the type \"" + resource.type + "\".";
      return config::at_places(std::move(error), resource.fields);
    }
    if (!projects.empty()) state_->shared.push_back({fields, std::move(projects)});
    state_->resources.push_back(std::move(fields));
    return {};
  }

  Status read_lock() {
    auto lock = resources::read_lock_file(lock_file_of(state_->config));
    if (!lock && lock.error().code == Code::kNotFound) {
      lock.error().hint = "Write it: quarry lock.";
    }
    if (!lock) return std::move(lock).error();
    state_->lock = std::move(*lock);
    return {};
  }

  void render() {
    state_->resources_json = state_->list_json();
    Json variants = Json::array();
    for (const auto& [name, schema] : state_->schemas) {
      const Error* const unusable = state_->types.at(name)->unusable();
      const bool offered = unusable == nullptr || unusable->code != Code::kNotFound;
      if (offered) variants.push_back(wire_schema(schema));
    }
    state_->schemas_json = to_text({{"question", *parse_json(kQuestionParams.schema)},
                                    {"resource", {{"oneOf", std::move(variants)}}}});
  }

  HostServices& host_services_;
  std::shared_ptr<State> state_;
};

}  // namespace

const Json* State::find(std::string_view name) const {
  return find_named(resources, name);
}

std::string State::wire_text(const Json& resource) const {
  const auto schema = schemas.find(resource.value("type", ""));
  return schema == schemas.end() ? to_text(resource) : wire_form(resource, schema->second);
}

std::string State::list_json() const {
  return json_object([&](JsonWriter& json) {
    json.array("resources", [&] {
      for (const Json& resource : resources) json.raw(wire_text(resource));
    });
  });
}

std::string State::list_json(const std::vector<Json>& own, std::string_view project) const {
  return json_object([&](JsonWriter& json) {
    json.array("resources", [&] {
      for (const Json& resource : own) json.raw(wire_text(resource));
      for (const Json* resource : shared_with(shared, project, own)) {
        json.raw(shared_form(*resource));
      }
    });
  });
}

Result<std::shared_ptr<const State>> make_state(config::Config config,
                                                std::shared_ptr<plugins::Registry> registry,
                                                HostServices& host_services, bool locked) {
  return StateMaker(std::move(config), std::move(registry), host_services).run(locked);
}

}  // namespace quarry::engine
