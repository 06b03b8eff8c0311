#include "base/text.h"
#include "cli/connection.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string text_member(const Json& object, const char* key, const char* otherwise) {
  return object.value(key, std::string(otherwise));
}

/// Day of an RFC 3339 time.
std::string day(const std::string& time) {
  return time.substr(0, 10);
}

std::string token_state(const Json& token) {
  if (token.contains("revoked")) return "revoked " + day(token["revoked"]);
  return token.contains("expires") ? "until " + day(token["expires"]) : "valid";
}

Json token_params(const Arguments& arguments) {
  const Arguments::Store& wanted = arguments.store;
  Json params{{"projects", wanted.projects}, {"rights", wanted.rights}};
  if (!wanted.label.empty()) params["label"] = wanted.label;
  if (!wanted.expires.empty()) params["expires"] = wanted.expires;
  if (wanted.requests_per_minute) params["requestsPerMinute"] = *wanted.requests_per_minute;
  if (wanted.streams) params["streams"] = *wanted.streams;
  if (!wanted.usd_per_day.empty()) params["usdPerDay"] = wanted.usd_per_day;
  return params;
}

}  // namespace

Result<ExitCode> run_projects_create(Context& context) {
  const Arguments& arguments = context.arguments;
  Json params{{"name", arguments.name}};
  if (!arguments.store.usd_per_day.empty()) params["usdPerDay"] = arguments.store.usd_per_day;
  const auto created = call_store(context, "projects.create", params);
  if (!created) return created.error();
  if (!arguments.json) context.terminal.out_line("created " + arguments.name);
  return ExitCode::kOk;
}

Result<ExitCode> run_projects_list(Context& context) {
  const auto listed = call_store(context, "projects.list", Json::object());
  if (!listed) return listed.error();
  if (context.arguments.json) return ExitCode::kOk;
  std::vector<std::vector<std::string>> rows;
  for (const Json& project : (*listed)["projects"]) {
    rows.push_back(
        {project["name"], day(project["created"]), text_member(project, "usdPerDay", "")});
  }
  if (rows.empty()) {
    context.terminal.note("There is no project. Create one: quarry projects create NAME.");
    return ExitCode::kOk;
  }
  rows.insert(rows.begin(), {"project", "created", "USD a day"});
  context.terminal.out(text_table(rows, {false, false, true}));
  return ExitCode::kOk;
}

Result<ExitCode> run_projects_remove(Context& context) {
  const auto removed = call_store(context, "projects.remove", {{"name", context.arguments.name}});
  if (!removed) return removed.error();
  if (!context.arguments.json) context.terminal.out_line("removed " + context.arguments.name);
  return ExitCode::kOk;
}

Result<ExitCode> run_tokens_create(Context& context) {
  const auto created = call_store(context, "tokens.create", token_params(context.arguments));
  if (!created) return created.error();
  if (context.arguments.json) return ExitCode::kOk;
  context.terminal.out_line((*created)["token"].get<std::string>());
  context.terminal.note((*created)["id"].get<std::string>() +
                        ": store the token now, it is shown only once.");
  return ExitCode::kOk;
}

Result<ExitCode> run_tokens_list(Context& context) {
  Json params = Json::object();
  if (!context.arguments.name.empty()) params["project"] = context.arguments.name;
  const auto listed = call_store(context, "tokens.list", params);
  if (!listed) return listed.error();
  if (context.arguments.json) return ExitCode::kOk;
  std::vector<std::vector<std::string>> rows;
  for (const Json& token : (*listed)["tokens"]) {
    rows.push_back({token["id"], join(token["projects"].get<std::vector<std::string>>(), ","),
                    join(token["rights"].get<std::vector<std::string>>(), ","), token_state(token),
                    token["label"]});
  }
  if (rows.empty()) {
    context.terminal.note("There is no token. Create one: quarry tokens create --project NAME.");
    return ExitCode::kOk;
  }
  rows.insert(rows.begin(), {"token", "projects", "rights", "state", "label"});
  context.terminal.out(text_table(rows, {false, false, false, false, false}));
  return ExitCode::kOk;
}

Result<ExitCode> run_tokens_revoke(Context& context) {
  const auto revoked = call_store(context, "tokens.revoke", {{"id", context.arguments.name}});
  if (!revoked) return revoked.error();
  if (!context.arguments.json) context.terminal.out_line("revoked " + context.arguments.name);
  return ExitCode::kOk;
}

}  // namespace quarry::cli
