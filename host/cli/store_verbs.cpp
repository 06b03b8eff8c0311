#include "base/text.h"
#include "cli/connection.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct ProjectOptions {
  std::string name;
  std::string usd_per_day;  ///< empty = no limit
};

struct TokenOptions {
  std::vector<std::string> projects;
  std::vector<std::string> rights{"ask", "list"};
  std::string label;    ///< may be empty
  std::string expires;  ///< an age; empty = never
  std::optional<std::uint32_t> requests_per_minute;
  std::optional<std::uint32_t> streams;
  std::string usd_per_day;  ///< empty = no limit
};

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

Json token_params(const TokenOptions& wanted) {
  Json params{{"projects", wanted.projects}, {"rights", wanted.rights}};
  if (!wanted.label.empty()) params["label"] = wanted.label;
  if (!wanted.expires.empty()) params["expires"] = wanted.expires;
  if (wanted.requests_per_minute) params["requestsPerMinute"] = *wanted.requests_per_minute;
  if (wanted.streams) params["streams"] = *wanted.streams;
  if (!wanted.usd_per_day.empty()) params["usdPerDay"] = wanted.usd_per_day;
  return params;
}

Result<ExitCode> run_projects_create(const ProjectOptions& wanted, Context& context) {
  Json params{{"name", wanted.name}};
  if (!wanted.usd_per_day.empty()) params["usdPerDay"] = wanted.usd_per_day;
  const auto created = call_store(context, "projects.create", params);
  if (!created) return created.error();
  if (!context.common.json) context.terminal.out_line("created " + wanted.name);
  return ExitCode::kOk;
}

Result<ExitCode> run_projects_list(Context& context) {
  const auto listed = call_store(context, "projects.list", Json::object());
  if (!listed) return listed.error();
  if (context.common.json) return ExitCode::kOk;
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

Result<ExitCode> run_projects_remove(const std::string& name, Context& context) {
  const auto removed = call_store(context, "projects.remove", {{"name", name}});
  if (!removed) return removed.error();
  if (!context.common.json) context.terminal.out_line("removed " + name);
  return ExitCode::kOk;
}

Result<ExitCode> run_tokens_create(const TokenOptions& wanted, Context& context) {
  const auto created = call_store(context, "tokens.create", token_params(wanted));
  if (!created) return created.error();
  if (context.common.json) return ExitCode::kOk;
  context.terminal.out_line((*created)["token"].get<std::string>());
  context.terminal.note((*created)["id"].get<std::string>() +
                        ": store the token now, it is shown only once.");
  return ExitCode::kOk;
}

Result<ExitCode> run_tokens_list(const std::string& project, Context& context) {
  Json params = Json::object();
  if (!project.empty()) params["project"] = project;
  const auto listed = call_store(context, "tokens.list", params);
  if (!listed) return listed.error();
  if (context.common.json) return ExitCode::kOk;
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

Result<ExitCode> run_tokens_revoke(const std::string& id, Context& context) {
  const auto revoked = call_store(context, "tokens.revoke", {{"id", id}});
  if (!revoked) return revoked.error();
  if (!context.common.json) context.terminal.out_line("revoked " + id);
  return ExitCode::kOk;
}

}  // namespace

Verb projects_verb(CommonOptions&) {
  return {"projects", "Manage the projects of tokens", {}};
}

Verb projects_create_verb(CommonOptions& common) {
  const auto options = std::make_shared<ProjectOptions>();
  return {"projects create", "Create a project",
          with_json(common, {{"name", "", "Its name", &options->name, {.required = true}},
                             {"--usd-per-day", "", "Daily spending limit of its tokens (UTC)",
                              &options->usd_per_day}}),
          [options](Context& context) { return run_projects_create(*options, context); }};
}

Verb projects_list_verb(CommonOptions& common) {
  return {"projects list", "List the projects", with_json(common), run_projects_list};
}

Verb projects_remove_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"projects remove", "Remove a project with its resources, also from its tokens",
          with_json(common, {{"name", "", "Its name", name.get(), {.required = true}}}),
          [name](Context& context) { return run_projects_remove(*name, context); }};
}

Verb tokens_verb(CommonOptions&) {
  return {"tokens", "Manage the tokens of callers", {}};
}

Verb tokens_create_verb(CommonOptions& common) {
  const auto options = std::make_shared<TokenOptions>();
  return {"tokens create", "Create a token and print it, once",
          with_json(
              common,
              {{"-p,--project",
                "",
                "A project it may use; the first one is its default",
                &options->projects,
                {.required = true, .one_each = true}},
               {"--rights",
                "",
                "Its rights: ask, list, add, read, metrics",
                &options->rights,
                {.separator = ',', .one_of = {"ask", "list", "add", "read", "metrics"}}},
               {"--expires", "", "When it expires: 90d, 12h", &options->expires},
               {"--label", "", "A label for lists, such as its user", &options->label},
               {"--requests-per-minute", "", "Requests per minute", &options->requests_per_minute},
               {"--streams", "", "Concurrent questions", &options->streams},
               {"--usd-per-day", "", "Its daily spending limit (UTC)", &options->usd_per_day}}),
          [options](Context& context) { return run_tokens_create(*options, context); }};
}

Verb tokens_list_verb(CommonOptions& common) {
  const auto project = std::make_shared<std::string>();
  return {"tokens list", "List the tokens, without their values",
          with_json(common, {{"-p,--project", "", "Only those of this project", project.get()}}),
          [project](Context& context) { return run_tokens_list(*project, context); }};
}

Verb tokens_revoke_verb(CommonOptions& common) {
  const auto id = std::make_shared<std::string>();
  return {"tokens revoke", "Revoke a token and end its running questions",
          with_json(common, {{"id", "", "Its id, as in the list", id.get(), {.required = true}}}),
          [id](Context& context) { return run_tokens_revoke(*id, context); }};
}

}  // namespace quarry::cli
