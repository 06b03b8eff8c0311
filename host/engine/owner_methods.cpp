#include "access/token.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/access_requests.h"
#include "engine/requests.h"
#include "engine/running_engine.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

Json project_json(const plugins::ProjectRecord& project) {
  Json out{{"name", project.name}, {"created", rfc3339(project.created)}};
  if (project.usd_per_day) out["usdPerDay"] = to_decimal(*project.usd_per_day);
  return out;
}

Json token_json(const plugins::TokenRecord& token) {
  Json out{{"id", token.id},
           {"projects", token.projects},
           {"rights", token.rights},
           {"label", token.label},
           {"created", rfc3339(token.created)}};
  if (token.expires) out["expires"] = rfc3339(*token.expires);
  if (token.revoked) out["revoked"] = rfc3339(*token.revoked);
  const plugins::TokenLimits& limits = token.limits;
  if (limits.requests_per_minute) out["requestsPerMinute"] = *limits.requests_per_minute;
  if (limits.streams) out["streams"] = *limits.streams;
  if (limits.usd_per_day) out["usdPerDay"] = to_decimal(*limits.usd_per_day);
  return out;
}

}  // namespace

Result<plugins::Store*> RunningEngine::store() {
  if (const auto access = gate_->open(); !access) return access.error();
  return &gate_->store();
}

RunningEngine::Answer RunningEngine::create_project(std::string_view params) {
  const auto project = read_project(params, host_services_->clock.now());
  if (!project) return project.error();
  const auto kept = store();
  if (!kept) return kept.error();
  const auto created = (*kept)->create_project({}, *project);
  if (!created) return in_store(created.error());
  if (!*created) {
    return invalid("the project cannot be created", "RequestError",
                   {{"/name", "is taken, in this or another case: \"" + project->name + "\""}});
  }
  return to_text(project_json(*project));
}

RunningEngine::Answer RunningEngine::list_projects(std::string_view) {
  const auto kept = store();
  if (!kept) return kept.error();
  const auto projects = (*kept)->projects({});
  if (!projects) return in_store(projects.error());
  Json list = Json::array();
  for (const auto& project : *projects) list.push_back(project_json(project));
  return to_text({{"projects", std::move(list)}});
}

Error RunningEngine::no_project(plugins::Store& kept, const std::string& name) {
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

RunningEngine::Answer RunningEngine::remove_project(std::string_view params) {
  const auto name = read_name(params);
  if (!name) return name.error();
  const auto kept = store();
  if (!kept) return kept.error();
  const auto removed = (*kept)->remove_project({}, *name, host_services_->clock.now());
  if (!removed) return in_store(removed.error());
  if (!*removed) return no_project(**kept, *name);
  return to_text({{"success", true}, {"name", *name}});
}

RunningEngine::Answer RunningEngine::create_token(std::string_view params) {
  auto record = read_token(params, host_services_->clock.now());
  if (!record) return std::move(record).error();
  const auto kept = store();
  if (!kept) return kept.error();
  const auto projects = (*kept)->projects({});
  if (!projects) return in_store(projects.error());
  for (std::string& wanted : record->projects) {
    const auto found = std::ranges::find_if(
        *projects, [&](const auto& project) { return to_lower(project.name) == to_lower(wanted); });
    if (found == projects->end()) return no_project(**kept, wanted);
    wanted = found->name;
  }
  const access::FreshToken token = access::make_token();
  record->id = token.id;
  const auto created = (*kept)->create_token({}, *record, token.hash);
  if (!created) return in_store(created.error());
  if (!*created) return no_project(**kept, record->projects.front());
  Json out = token_json(*record);
  out["token"] = token.text;
  return to_text(out);
}

RunningEngine::Answer RunningEngine::list_tokens(std::string_view params) {
  const auto project = read_optional_project(params);
  if (!project) return project.error();
  const auto kept = store();
  if (!kept) return kept.error();
  const auto tokens = (*kept)->tokens({}, *project);
  if (!tokens) return in_store(tokens.error());
  Json list = Json::array();
  for (const auto& token : *tokens) list.push_back(token_json(token));
  return to_text({{"tokens", std::move(list)}});
}

RunningEngine::Answer RunningEngine::revoke_token(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto kept = store();
  if (!kept) return kept.error();
  const auto revoked = (*kept)->revoke_token({}, *id, host_services_->clock.now());
  if (!revoked) return in_store(revoked.error());
  if (!*revoked) {
    return Error{Code::kNotFound, "there is no token \"" + *id + "\"",
                 "\"quarry tokens list\" shows the ids."}
        .tagged("NotFound");
  }
  return to_text({{"success", true}, {"id", *id}});
}

}  // namespace quarry::engine
