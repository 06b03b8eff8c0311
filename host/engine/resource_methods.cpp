#include "base/json_writer.h"
#include "base/schema.h"
#include "engine/project_secrets.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"
#include "engine/resource_names.h"
#include "engine/resource_types.h"
#include "engine/running_engine.h"
#include "resources/normalise.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// Rejects secrets in a resource from the wire; only the configuration file may name them.
Status refuse_secrets(const State& state, const Json& resource) {
  const auto schema = state.schemas.find(resource["type"].get_ref<const std::string&>());
  if (schema == state.schemas.end()) return {};
  auto mistakes = secrets_on_the_wire(resource, schema->second);
  if (mistakes.empty()) return {};
  return invalid("the resource is not valid", "ConfigError", std::move(mistakes));
}

}  // namespace

std::optional<RunningEngine::Answer> RunningEngine::list_resources_at_once(
    std::string_view params) {
  const auto asked = read_principal(params);
  if (!asked) return asked.error();
  if (!*asked) return state()->resources_json;
  access::Access* const access = gate_->opened();
  if (access == nullptr) return std::nullopt;
  const auto who = access->principal((*asked)->token, (*asked)->project, "list");
  if (!who) return who.error();
  const auto resources = access->resources_known(*who);
  if (!resources) return resources.error();
  if (!*resources) return std::nullopt;
  return render_resources(**resources);
}

RunningEngine::Answer RunningEngine::list_resources(std::string_view params) {
  const auto asked = read_principal(params);
  if (!asked) return asked.error();
  const auto who = principal(**asked, "list");
  if (!who) return who.error();
  const auto resources = gate_->opened()->resources(*who);
  if (!resources) return resources.error();
  return render_resources(**resources);
}

std::string RunningEngine::render_resources(const std::vector<Json>& resources) const {
  return json_object([&](JsonWriter& json) {
    json.array("resources", [&] {
      for (const Json& resource : resources) json.raw(wire_form_of(resource));
    });
  });
}

std::string RunningEngine::wire_form_of(const Json& resource) const {
  const auto now = state();
  const auto schema = now->schemas.find(resource.value("type", ""));
  return schema == now->schemas.end() ? to_text(resource) : wire_form(resource, schema->second);
}

RunningEngine::Answer RunningEngine::add_resource_of(const PrincipalRequest& asked, Json resource) {
  const auto who = principal(asked, "add");
  if (!who) return who.error();
  resource.erase("principal");
  const auto now = state();
  if (Status open = refuse_secrets(*now, resource); !open) return open.error();
  const auto canonical =
      resources::normalise(now->types_for_tokens, resource, Schema::Unknown::kIgnore);
  if (!canonical) return Error(canonical.error()).tagged("ConfigError");
  const auto kept = gate_->opened()->add_resource(*who, *canonical);
  if (!kept) return kept.error();
  if (wire_form_of(*kept) == wire_form_of(*canonical)) return wire_form_of(*kept);
  return invalid("the resource cannot be added", "ConfigError",
                 {{"/name", "is taken: project \"" + who->project + "\" has another resource \"" +
                                (*kept)["name"].get<std::string>() + "\""}});
}

RunningEngine::Answer RunningEngine::add_resource(std::string_view params) {
  auto given = read_resource(params);
  if (!given) return given.error();
  const auto asked = read_principal(params);
  if (!asked) return asked.error();
  if (*asked) return add_resource_of(**asked, std::move(*given));
  if (Status open = refuse_secrets(*state(), *given); !open) return open.error();
  const auto canonical = library_->normalise(*given);
  if (!canonical) return Error(canonical.error()).tagged("ConfigError");
  std::lock_guard lock(edit_mutex_);
  const auto now = state();
  const std::string name = (*canonical)["name"];
  if (const Json* const same = now->find(name); same != nullptr) {
    return invalid("the resource cannot be added", "ConfigError",
                   {{"/name", "is taken: a resource \"" + same->value("name", name) +
                                  "\" is configured already"}});
  }
  Status done = config::add_resource(options_.config, now->config.writable_file, *canonical);
  if (!done) return done.error();
  if (done = reload(); !done) {
    // The caller gets an error, so the resource must not exist at the next start.
    static_cast<void>(config::remove_resource(options_.config, now->config.writable_file, name));
    return done.error();
  }
  return wire_form_of(*canonical);
}

RunningEngine::Answer RunningEngine::remove_resource(std::string_view params) {
  const auto name = read_name(params);
  if (!name) return name.error();
  std::lock_guard lock(edit_mutex_);
  const auto now = state();
  const auto& resources = now->config.resources;
  const auto found = std::find_if(resources.begin(), resources.end(), [&](const auto& resource) {
    return same_name(*name, resource.name);
  });
  if (found == resources.end()) {
    Error error = ResourceChoice(*now).unknown(*name);
    error.tag = "ConfigError";
    return error;
  }
  const auto place = found->fields.places.find("/name");
  const bool in_file = place != found->fields.places.end() && place->second.line != 0;
  Status done = config::remove_resource(
      options_.config, in_file ? place->second.file : now->config.writable_file, found->name);
  if (done) done = reload();
  if (!done) return done.error();
  return to_text({{"success", true}, {"name", found->name}});
}

RunningEngine::Answer RunningEngine::recognise_resource(std::string_view params) {
  const auto reference = read_reference(params);
  if (!reference) return reference.error();
  const auto now = state();
  ResourceChoice choice(*now);
  auto resource = choice.recognise(*reference);
  if (!resource) return std::move(resource).error();
  if (*resource) return to_text({{"resource", **resource}});
  Error error = choice.unknown(*reference);
  error.message = "no plugin recognises \"" + *reference + "\"";
  error.tag = "ConfigError";
  return error;
}

Result<std::vector<ask::WantedResource>> RunningEngine::resources_of(const State& state,
                                                                     const QuestionRequest& asked,
                                                                     const access::Principal& who) {
  const auto resources = gate_->opened()->resources(who);
  if (!resources) return resources.error();
  if (asked.resources.empty() && (*resources)->empty()) {
    return Error{Code::kNotFound, "project \"" + who.project + "\" has no resource",
                 "Add one with addResource, or name one."}
        .tagged("CollectionError");
  }
  ResourceChoice choice(state, **resources);
  for (const std::string& name : asked.resources) {
    if (find_named(**resources, name) != nullptr) continue;
    // Fetching a reference adds it, if only for one question, so it needs the right to add.
    if (!gate_->opened()->principal(who.token, who.project, "add")) return choice.unknown(name);
  }
  auto chosen = choice.choose(asked.resources, asked.freshness);
  if (!chosen) return chosen;
  const auto secrets = gate_->opened()->secrets(who);
  if (!secrets) return secrets.error();
  ProjectSecrets project_secrets(state.config, *host_services_);
  for (auto& wanted : *chosen) {
    wanted.prepare_options.project = who.project;
    const std::string name = wanted.resource["name"];
    if (find_named(**resources, name) == nullptr) continue;  // a reference, for this question only
    if (Status done = project_secrets.insert_names(**secrets, wanted.resource); !done) {
      return std::move(done).error().in("resource \"" + name + '"').tagged("CollectionError");
    }
  }
  return chosen;
}

Result<std::vector<ask::WantedResource>> RunningEngine::resources_of(const State& state,
                                                                     const QuestionRequest& asked) {
  if (asked.resources.empty() && state.resources.empty()) {
    return Error{Code::kNotFound, "no resource is configured",
                 "Add one (quarry add <folder>), or name a folder (quarry ask -r <folder> …)."}
        .tagged("ConfigError");
  }
  return ResourceChoice(state).choose(asked.resources, asked.freshness);
}

}  // namespace quarry::engine
