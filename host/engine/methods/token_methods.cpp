#include "engine/methods/token_methods.h"

#include "access/token.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/access_requests.h"
#include "engine/methods/project_methods.h"
#include "engine/requests.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

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

void TokenMethods::add_to(MethodTable& table) {
  table.add({"tokens.create", OnWorker{std::bind_front(&TokenMethods::create, this)}});
  table.add({"tokens.list", OnWorker{std::bind_front(&TokenMethods::list, this)}});
  table.add({"tokens.revoke", OnWorker{std::bind_front(&TokenMethods::revoke, this)}});
}

Answer TokenMethods::create(std::string_view params) {
  auto record = read_token(params, clock_.now());
  if (!record) return std::move(record).error();
  const auto kept = gate_.open_store();
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

Answer TokenMethods::list(std::string_view params) {
  const auto project = read_optional_project(params);
  if (!project) return project.error();
  const auto kept = gate_.open_store();
  if (!kept) return kept.error();
  const auto tokens = (*kept)->tokens({}, *project);
  if (!tokens) return in_store(tokens.error());
  Json list = Json::array();
  for (const auto& token : *tokens) list.push_back(token_json(token));
  return to_text({{"tokens", std::move(list)}});
}

Answer TokenMethods::revoke(std::string_view params) {
  const auto id = read_id(params);
  if (!id) return id.error();
  const auto kept = gate_.open_store();
  if (!kept) return kept.error();
  const auto revoked = (*kept)->revoke_token({}, *id, clock_.now());
  if (!revoked) return in_store(revoked.error());
  if (!*revoked) {
    return Error{Code::kNotFound, "there is no token \"" + *id + "\"",
                 "\"quarry tokens list\" shows the ids."}
        .tagged("NotFound");
  }
  return to_text({{"success", true}, {"id", *id}});
}

}  // namespace quarry::engine
