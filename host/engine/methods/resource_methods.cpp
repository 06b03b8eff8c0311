#include "base/clock.h"
#include "base/schema.h"
#include "engine/joined_text.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"
#include "engine/resource_types.h"
#include "resources/normalise.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

/// One resource, with the members of its type.
constexpr char kResourceResult[] = R"json({
  "type": "object", "required": ["type", "name"],
  "properties": {"type": {"type": "string"}, "name": {"type": "string"}},
  "additionalProperties": {}
})json";

constexpr auto kResourcesResult = joined(R"json({
  "type": "object", "required": ["resources"],
  "properties": {"resources": {"type": "array", "items": )json",
                                         kResourceResult, "}}}");

constexpr auto kRecogniseResult = joined(R"json({
  "type": "object", "required": ["resource"], "properties": {"resource": )json",
                                         kResourceResult, "}}");

/// Rejects secrets in a resource from the wire; only the configuration file may name them.
Status refuse_secrets(const State& state, const Json& resource) {
  const auto schema = state.schemas.find(resource["type"].get_ref<const std::string&>());
  if (schema == state.schemas.end()) return {};
  auto mistakes = secrets_on_the_wire(resource, schema->second);
  if (mistakes.empty()) return {};
  return invalid("the resource is not valid", "ConfigError", std::move(mistakes));
}

/// The resource with what a model wrote as the schema of its type asks for it.
Json as_its_type_asks(const State& state, Json resource) {
  const auto schema = state.schemas.find(resource["type"].get_ref<const std::string&>());
  if (schema != state.schemas.end()) coerce_by(schema->second, resource);
  return resource;
}

/// Fails if the source cannot say which version it has.
Status contact_source(const State& state, const Json& resource) {
  constexpr std::chrono::seconds kLimit{30};
  const auto type = state.types.find(resource["type"].get_ref<const std::string&>());
  if (type == state.types.end()) return {};
  const services::Call call{.deadline = SystemClock().steady_now() + kLimit};
  const auto version = type->second->resolve(call, resource, {});
  if (version) return {};
  return Error(version.error()).in("the resource is not added").tagged("ResourceError");
}

std::optional<Answer> list_resources_at_once(const MethodServices& engine, const Json& params) {
  const auto asked = principal_in(params);
  if (!asked) return engine.state.now()->resources_json;
  access::Access* const access = engine.gate.opened();
  if (access == nullptr) return std::nullopt;
  const auto who = access->principal(asked->token, asked->project, "list");
  if (!who) return who.error();
  const auto resources = access->resources_known(*who);
  if (!resources) return resources.error();
  if (!*resources) return std::nullopt;
  return engine.state.now()->list_json(**resources, who->project);
}

Answer list_resources(const MethodServices& engine, const Json& params) {
  const auto who = engine.gate.principal(*principal_in(params), "list");
  if (!who) return who.error();
  const auto resources = engine.gate.opened()->resources(*who);
  if (!resources) return resources.error();
  return engine.state.now()->list_json(**resources, who->project);
}

/// Adds a resource to the project of the principal.
Answer add_to_project(const MethodServices& engine, const PrincipalRequest& asked, Json resource) {
  const auto who = engine.gate.principal(asked, "add");
  if (!who) return who.error();
  resource.erase("principal");
  const auto now = engine.state.now();
  if (Status open = refuse_secrets(*now, resource); !open) return open.error();
  const auto canonical =
      resources::normalise(now->types_for_tokens, as_its_type_asks(*now, std::move(resource)),
                           Schema::Unknown::kIgnore, who->project);
  if (!canonical) return Error(canonical.error()).tagged("ConfigError");
  const auto kept = engine.gate.opened()->add_resource(*who, *canonical);
  if (!kept) return kept.error();
  std::string in_project = now->wire_text(*kept);
  if (in_project == now->wire_text(*canonical)) return in_project;
  return invalid("the resource cannot be added", "ConfigError",
                 {{"/name", "is taken: project \"" + who->project + "\" has another resource \"" +
                                (*kept)["name"].get<std::string>() + "\""}});
}

Answer add_resource(const MethodServices& engine, const Json& given) {
  Json params = given;
  const bool contact = params.value("_contact", Json(false)) == Json(true);
  params.erase("_contact");
  if (const auto asked = principal_in(params)) return add_to_project(engine, *asked, params);
  if (Status open = refuse_secrets(*engine.state.now(), params); !open) return open.error();
  const auto canonical = engine.library.normalise(as_its_type_asks(*engine.state.now(), params));
  if (!canonical) return Error(canonical.error()).tagged("ConfigError");
  if (Status there = contact ? contact_source(*engine.state.now(), *canonical) : Status(); !there) {
    return std::move(there).error();
  }
  ConfigurationEdit edit(engine.state);
  const auto now = engine.state.now();
  const std::string name = (*canonical)["name"];
  if (const Json* const same = now->find(name); same != nullptr) {
    Error taken = invalid("the resource cannot be added", "ConfigError",
                          {{"/name", "is taken: a resource \"" + same->value("name", name) +
                                         "\" is configured already"}});
    taken.hint = "Give it another name, as with --name.";
    return taken;
  }
  Status done = config::add_resource(edit.sources(), now->config.writable_file, *canonical);
  if (!done) return done.error();
  if (done = edit.reload(); !done) {
    // The caller gets an error, so the resource must not exist at the next start.
    static_cast<void>(config::remove_resource(edit.sources(), now->config.writable_file, name));
    return done.error();
  }
  return engine.state.now()->wire_text(*canonical);
}

Answer remove_resource(const MethodServices& engine, const Json& params) {
  const std::string name = params["name"];
  ConfigurationEdit edit(engine.state);
  const auto now = engine.state.now();
  const auto& resources = now->config.resources;
  const auto found = std::find_if(resources.begin(), resources.end(), [&](const auto& resource) {
    return same_name(name, resource.name);
  });
  if (found == resources.end()) {
    Error error = ResourceChoice(*now).unknown_name(name);
    error.tag = "ConfigError";
    return error;
  }
  const auto place = found->fields.places.find("/name");
  const bool in_file = place != found->fields.places.end() && place->second.line != 0;
  Status done = config::remove_resource(
      edit.sources(), in_file ? place->second.file : now->config.writable_file, found->name);
  if (done) done = edit.reload();
  if (!done) return done.error();
  return to_text({{"success", true}, {"name", found->name}});
}

Answer recognise_reference(const MethodServices& engine, const Json& params) {
  const std::string reference = params["reference"];
  const auto now = engine.state.now();
  ResourceChoice choice(*now);
  auto resource = choice.recognise(reference);
  if (!resource) return std::move(resource).error();
  if (*resource) return to_text({{"resource", **resource}});
  Error error = choice.unknown(reference);
  error.message = "no plugin recognises \"" + reference + "\"";
  error.tag = "ConfigError";
  return error;
}

}  // namespace

void add_resource_methods(MethodTable& table) {
  table.add({.name = "resources.list",
             .summary = "The named resources.",
             .params = kPrincipalParams,
             .result = kResourcesResult.view(),
             .run = OnWorker{list_resources},
             .if_in_memory = list_resources_at_once});
  table.add({.name = "resources.add",
             .summary = "Adds a resource and returns it. Its params are the fields of its type: "
                        "see schemas. A principal gets one that is there already and the same.",
             .params = kResourceParams,
             .result = kResourceResult,
             .run = OnWorker{add_resource}});
  table.add({.name = "resources.remove",
             .summary = "Removes the resource of that name.",
             .params = kNameParams,
             .result = kRemovedResult,
             .run = OnWorker{remove_resource}});
  table.add({.name = "resources.recognise",
             .summary = "The resource that a plugin makes of a reference, which is not added.",
             .params = kReferenceParams,
             .result = kRecogniseResult.view(),
             .run = OnWorker{recognise_reference}});
}

}  // namespace quarry::engine
