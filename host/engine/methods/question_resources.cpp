#include "engine/methods/methods.h"
#include "engine/project_secrets.h"
#include "engine/resource_choice.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {

namespace {

Result<std::vector<ask::WantedResource>> of_project(const MethodServices& engine,
                                                    const State& state,
                                                    const QuestionRequest& asked,
                                                    const access::Principal& who) {
  const auto own = engine.gate.opened()->resources(who);
  if (!own) return own.error();
  ResourceChoice choice(state, **own, who.project);
  if (asked.resources.empty() && choice.is_empty()) {
    return Error{Code::kNotFound, "project \"" + who.project + "\" has no resource",
                 "Add one with addResource, or name one."}
        .tagged("CollectionError");
  }
  for (const std::string& name : asked.resources) {
    if (choice.lists(name)) continue;
    // Fetching a reference adds it, if only for one question, so it needs the right to add.
    if (!engine.gate.opened()->principal(who.token, who.project, "add"))
      return choice.unknown(name);
  }
  auto chosen = choice.choose(asked.resources, asked.freshness);
  if (!chosen) return chosen;
  const auto secrets = engine.gate.opened()->secrets(who);
  if (!secrets) return secrets.error();
  ProjectSecrets project_secrets(state.config, engine.host);
  for (auto& wanted : *chosen) {
    if (wanted.tell_owner) continue;  // the owner's, with the owner's secrets
    wanted.prepare_options.project = who.project;
    const std::string name = wanted.resource["name"];
    if (find_named(**own, name) == nullptr) continue;  // a reference, for this question only
    if (Status done = project_secrets.insert_names(**secrets, wanted.resource); !done) {
      return std::move(done).error().in("resource \"" + name + '"').tagged("CollectionError");
    }
  }
  return chosen;
}

}  // namespace

Result<std::vector<ask::WantedResource>> choose_resources(
    const MethodServices& engine, const State& state, const QuestionRequest& asked,
    const std::optional<access::Principal>& who) {
  if (who) return of_project(engine, state, asked, *who);
  if (asked.resources.empty() && state.resources.empty()) {
    return Error{Code::kNotFound, "no resource is configured",
                 "Add one (quarry add <folder>), or name a folder (quarry ask -r <folder> …)."}
        .tagged("ConfigError");
  }
  return ResourceChoice(state).choose(asked.resources, asked.freshness);
}

}  // namespace quarry::engine
