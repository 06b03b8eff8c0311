#include "base/random.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/access_requests.h"
#include "engine/methods/methods.h"
#include "engine/project_secrets.h"
#include "engine/requests.h"
#include "engine/resource_choice.h"
#include "engine/resource_types.h"
#include "resources/normalise.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kSetResult = R"json({
  "type": "object", "required": ["project", "resource", "member", "from"],
  "properties": {
    "project": {"type": "string"}, "member": {"type": "string"}, "from": {"type": "string"},
    "resource": {"type": "object", "required": ["type", "name"], "additionalProperties": {}}
  }
})json";

constexpr std::string_view kSecretsResult = R"json({
  "type": "object", "required": ["secrets"],
  "properties": {"secrets": {"type": "array", "items": {
    "type": "object", "required": ["resource", "member", "from", "inUse", "created"],
    "properties": {
      "resource": {"type": "string"}, "member": {"type": "string"}, "from": {"type": "string"},
      "inUse": {"type": "boolean"}, "created": {"type": "string"}}}}}
})json";

constexpr std::string_view kRemoveSecretResult = R"json({
  "type": "object", "required": ["success"], "properties": {"success": {"type": "boolean"}}
})json";

Error no_resource(const SecretRequest& wanted, const std::vector<Json>& resources) {
  const auto known = names_of(resources);
  const auto near = nearest(wanted.resource, known);
  return Error{Code::kNotFound,
               "project \"" + wanted.project + "\" has no resource \"" + wanted.resource + "\"",
               near            ? "Did you mean \"" + *near + "\"?"
               : known.empty() ? "Its callers add resources by addResource."
                               : "There are: " + join(known, ", ") + "."}
      .tagged("NotFound");
}

Error no_member(const SecretRequest& wanted, const Json& schema) {
  std::vector<std::string> known;
  for (const auto& [member, rule] : schema["properties"].items()) {
    if (is_secret(rule)) known.push_back(member);
  }
  return invalid(
      "the secret cannot be set", "RequestError",
      {{"/member", "\"" + wanted.member + "\" is not a secret of resource \"" + wanted.resource +
                       "\"; its secrets are: " + (known.empty() ? "none" : join(known, ", "))}});
}

/// Description of a secret's source for users; never its value.
std::string words_of(const Json& what) {
  const std::string& kind = what.begin().key();
  if (kind == "value") return "kept encrypted";
  if (kind == "command") return "command " + what["command"][0].get<std::string>();
  return kind + " " + what.begin().value().get<std::string>();
}

/// The resource of a project to which a secret belongs, canonical.
Result<Json> resource_of_project(const State& state, plugins::Store& kept,
                                 const SecretRequest& wanted) {
  const auto resources = kept.resources({}, wanted.project);
  if (!resources) return in_store(resources.error());
  if (!*resources) return no_project(kept, wanted.project);
  const Json* found = find_named(**resources, wanted.resource);
  if (found == nullptr) return no_resource(wanted, **resources);
  return resources::normalise(state.types_for_tokens, *found, Schema::Unknown::kIgnore,
                              wanted.project);
}

Answer set_secret(const MethodServices& engine, const Json& params) {
  const auto wanted = read_secret(params);
  if (!wanted) return wanted.error();
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto now = engine.state.now();
  const auto resource = resource_of_project(*now, **kept, *wanted);
  if (!resource) return resource.error();
  const Json& schema = now->schemas.at((*resource)["type"].get_ref<const std::string&>());
  if (!is_secret(schema["properties"].value(wanted->member, Json()))) {
    return no_member(*wanted, schema);
  }
  plugins::SecretRecord secret{random_hex(16),
                               wanted->project,
                               (*resource)["name"],
                               wanted->member,
                               ProjectSecrets::source_of(*resource),
                               {},
                               engine.host.clock.now()};
  if (Status sealed = ProjectSecrets(now->config, engine.host).seal(secret, wanted->what);
      !sealed) {
    return std::move(sealed).error().tagged("ConfigError");
  }
  const auto done = (*kept)->set_secret({}, secret);
  if (!done) return in_store(done.error());
  if (!*done) return no_project(**kept, wanted->project);
  return to_text({{"project", secret.project},
                  {"resource", *parse_json(now->wire_text(*resource))},
                  {"member", secret.member},
                  {"from", words_of(wanted->what)}});
}

Answer list_secrets(const MethodServices& engine, const Json& params) {
  const std::string project = text_of(params, "project");
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto resources = (*kept)->resources({}, project);
  if (!resources) return in_store(resources.error());
  if (!*resources) return no_project(**kept, project);
  const auto secrets = (*kept)->secrets({}, project);
  if (!secrets) return in_store(secrets.error());
  const auto now = engine.state.now();
  Json list = Json::array();
  for (const plugins::SecretRecord& secret : *secrets) {
    const auto what = ProjectSecrets(now->config, engine.host).unseal(secret);
    const auto resource =
        resource_of_project(*now, **kept, {project, secret.resource, secret.member, {}});
    const bool in_use = resource && ProjectSecrets::source_of(*resource) == secret.source;
    list.push_back({{"resource", secret.resource},
                    {"member", secret.member},
                    {"from", what ? words_of(*what) : "unreadable: " + what.error().message},
                    {"inUse", in_use},
                    {"created", rfc3339(secret.created)}});
  }
  return to_text({{"secrets", std::move(list)}});
}

Answer remove_secret(const MethodServices& engine, const Json& params) {
  const SecretRequest wanted = read_secret_place(params);
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto removed = (*kept)->remove_secret({}, wanted.project, wanted.resource, wanted.member);
  if (!removed) return in_store(removed.error());
  if (*removed) return to_text({{"success", true}});
  return Error{Code::kNotFound,
               "project \"" + wanted.project + "\" has no secret \"" + wanted.resource + "." +
                   wanted.member + "\"",
               "\"quarry projects secret list " + wanted.project + "\" shows them."}
      .tagged("NotFound");
}

}  // namespace

void add_secret_methods(MethodTable& table) {
  table.add({.name = "projects.secrets.set",
             .summary = "Says where a secret of a project's resource comes from: a variable of "
                        "the environment, a file, a command, or the value itself. No reply "
                        "contains a value.",
             .params = kSecretParams,
             .result = kSetResult,
             .run = OnWorker{set_secret}});
  table.add({.name = "projects.secrets.list",
             .summary = "The secrets of a project, without their values.",
             .params = kProjectNameParams,
             .result = kSecretsResult,
             .run = OnWorker{list_secrets}});
  table.add({.name = "projects.secrets.remove",
             .summary = "Removes a secret of a project.",
             .params = kSecretPlaceParams,
             .result = kRemoveSecretResult,
             .run = OnWorker{remove_secret}});
}

}  // namespace quarry::engine
