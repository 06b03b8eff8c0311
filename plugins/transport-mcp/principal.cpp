#include "principal.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {

using mcp::Json;

std::expected<Json, std::string> principal_of(mcp::Call& call, const Json* arguments) {
  std::vector<std::string> named = call.caller().projects;
  for (const Json* const place : {&call.params(), arguments}) {
    const Json* const project = place == nullptr ? nullptr : mcp::find(*place, "project");
    if (project == nullptr || project->is_null()) continue;
    if (!project->is_string()) return std::unexpected("project must be a string");
    named.push_back(project->get<std::string>());
  }
  for (const std::string& name : named) {
    if (name == named.front()) continue;
    return std::unexpected("two different projects are named: " + named.front() + " and " + name);
  }
  if (!named.empty()) call.project = named.front();
  if (call.caller().principal.empty()) return Json();
  Json principal{{"token", call.caller().principal}};
  if (!named.empty()) principal["project"] = named.front();
  return principal;
}

Json with_principal(Json params, Json principal) {
  if (!principal.is_null()) params["principal"] = std::move(principal);
  return params;
}

}  // namespace quarry::transport_mcp
