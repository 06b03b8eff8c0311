#include "access/token.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/access_requests.h"
#include "engine/joined_text.h"
#include "engine/methods/methods.h"
#include "engine/requests.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr char kTokenMembers[] = R"json(
      "id": {"type": "string"}, "projects": {"type": "array", "items": {"type": "string"}},
      "rights": {"type": "array", "items": {"type": "string"}}, "label": {"type": "string"},
      "created": {"type": "string"}, "expires": {"type": "string"}, "revoked": {"type": "string"},
      "requestsPerMinute": {"type": "integer"}, "streams": {"type": "integer"},
      "usdPerDay": {"type": "string"})json";

constexpr auto kCreateResult = joined(R"json({
  "type": "object", "required": ["id", "projects", "rights", "label", "created", "token"],
  "properties": {"token": {"type": "string"},)json",
                                      kTokenMembers, "}}");

constexpr auto kTokensResult = joined(R"json({
  "type": "object", "required": ["tokens"],
  "properties": {"tokens": {"type": "array", "items": {
    "type": "object", "required": ["id", "projects", "rights", "label", "created"],
    "properties": {)json",
                                      kTokenMembers, "}}}}}");

constexpr std::string_view kRevokeResult = R"json({
  "type": "object", "required": ["success", "id"],
  "properties": {"success": {"type": "boolean"}, "id": {"type": "string"}}
})json";

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

Answer create_token(const MethodServices& engine, const Json& params) {
  auto record = read_token(params, engine.host.clock.now());
  if (!record) return std::move(record).error();
  const auto kept = engine.gate.open_store();
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

Answer list_tokens(const MethodServices& engine, const Json& params) {
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto tokens = (*kept)->tokens({}, text_of(params, "project"));
  if (!tokens) return in_store(tokens.error());
  Json list = Json::array();
  for (const auto& token : *tokens) list.push_back(token_json(token));
  return to_text({{"tokens", std::move(list)}});
}

Answer revoke_token(const MethodServices& engine, const Json& params) {
  const std::string id = params["id"];
  const auto kept = engine.gate.open_store();
  if (!kept) return kept.error();
  const auto revoked = (*kept)->revoke_token({}, id, engine.host.clock.now());
  if (!revoked) return in_store(revoked.error());
  if (!*revoked) {
    return Error{Code::kNotFound, "there is no token \"" + id + "\"",
                 "\"quarry tokens list\" shows the ids."}
        .tagged("NotFound");
  }
  return to_text({{"success", true}, {"id", id}});
}

}  // namespace

void add_token_methods(MethodTable& table) {
  table.add({.name = "tokens.create",
             .summary = "Creates a token for projects, with rights and limits. The token itself "
                        "is in this reply and in no other.",
             .params = kTokenParams,
             .result = kCreateResult.view(),
             .run = OnWorker{create_token}});
  table.add({.name = "tokens.list",
             .summary = "The tokens, or those of a project, without the tokens themselves.",
             .params = kProjectNameParams,
             .result = kTokensResult.view(),
             .run = OnWorker{list_tokens}});
  table.add({.name = "tokens.revoke",
             .summary = "Ends a token. Its running questions are stopped, with the event error.",
             .params = kIdParams,
             .result = kRevokeResult,
             .run = OnWorker{revoke_token}});
}

}  // namespace quarry::engine
