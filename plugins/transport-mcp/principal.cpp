#include "principal.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {

using mcp::Json;

std::expected<Json, std::string> principal_of(mcp::Call& call, const Json* arguments,
                                              bool is_field) {
  std::vector<std::string> named = call.caller().projects;
  const std::pair<const Json*, const char*> places[] = {{&call.params(), kProject},
                                                        {is_field ? nullptr : arguments, kProject},
                                                        {arguments, kReservedProject}};
  for (const auto& [place, name] : places) {
    const Json* const project = place == nullptr ? nullptr : mcp::find(*place, name);
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

Json with_ids(Json params, const mcp::Call& call) {
  const Json* const meta = mcp::find(call.params(), "_meta");
  std::string traceparent = meta == nullptr ? "" : mcp::find_string(*meta, "traceparent");
  if (traceparent.empty()) traceparent = call.caller().traceparent;
  if (!traceparent.empty()) params["traceparent"] = std::move(traceparent);
  if (!call.caller().request.empty()) params["request"] = call.caller().request;
  return params;
}

}  // namespace quarry::transport_mcp
