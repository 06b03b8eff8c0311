#include "base/text.h"
#include "base/time_text.h"
#include "engine/access_requests.h"
#include "engine/joined_text.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr char kProjectResult[] = R"json({
  "type": "object", "required": ["name", "created"],
  "properties": {
    "name": {"type": "string"}, "created": {"type": "string"}, "usdPerDay": {"type": "string"}}
})json";

constexpr auto kProjectsResult = joined(R"json({
  "type": "object", "required": ["projects"],
  "properties": {"projects": {"type": "array", "items": )json",
                                        kProjectResult, "}}}");

Json project_json(const plugins::ProjectRecord& project) {
  Json out{{"name", project.name}, {"created", rfc3339(project.created)}};
  if (project.usd_per_day) out["usdPerDay"] = to_decimal(*project.usd_per_day);
  return out;
}

Answer create_project(const MethodServices& engine, const Json& params) {
  const auto project = read_project(params, engine.host.clock.now());
  if (!project) return project.error();
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto created = (*kept)->create_project({}, *project);
  if (!created) return in_store(created.error());
  if (!*created) {
    return invalid("the project cannot be created", "RequestError",
                   {{"/name", "is taken, in this or another case: \"" + project->name + "\""}});
  }
  return to_text(project_json(*project));
}

Answer list_projects(const MethodServices& engine, const Json&) {
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto projects = (*kept)->projects({});
  if (!projects) return in_store(projects.error());
  Json list = Json::array();
  for (const auto& project : *projects) list.push_back(project_json(project));
  return to_text({{"projects", std::move(list)}});
}

Answer remove_project(const MethodServices& engine, const Json& params) {
  const std::string name = params["name"];
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto removed = (*kept)->remove_project({}, name, engine.host.clock.now());
  if (!removed) return in_store(removed.error());
  if (!*removed) return no_project(**kept, name);
  return to_text({{"success", true}, {"name", name}});
}

}  // namespace

Error no_project(plugins::Store& kept, const std::string& name) {
  std::vector<std::string> names;
  if (const auto projects = kept.projects({})) {
    for (const auto& project : *projects) names.push_back(project.name);
  }
  const auto near = nearest(name, names);
  return Error{Code::kNotFound, "there is no project \"" + name + "\"",
               near            ? "Did you mean \"" + *near + "\"?"
               : names.empty() ? "Create it: quarry projects create " + name + "."
                               : "There are: " + join(names, ", ") + "."}
      .tagged("ProjectError");
}

void add_project_methods(MethodTable& table) {
  table.add({.name = "projects.create",
             .summary = "Creates a project, with a budget for a day.",
             .params = kProjectParams,
             .result = kProjectResult,
             .run = OnWorker{create_project}});
  table.add({.name = "projects.list",
             .summary = "The projects.",
             .result = kProjectsResult.view(),
             .run = OnWorker{list_projects}});
  table.add({.name = "projects.remove",
             .summary = "Removes a project with its resources and secrets.",
             .params = kNameParams,
             .result = kRemovedResult,
             .run = OnWorker{remove_project}});
}

}  // namespace quarry::engine
