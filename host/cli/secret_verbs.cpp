#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/standard_input.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

#include <filesystem>
#include <memory>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct SecretOptions {
  std::string project;
  std::string secret;  ///< "<resource>.<member>"
  std::string env;     ///< variable that holds it; all three empty = standard input
  std::string file;
  std::vector<std::string> command;
};

constexpr std::size_t kLongest = 16'384;

/// Resource names may contain dots, member names do not.
Result<Json> place_of(const SecretOptions& options) {
  const std::string& secret = options.secret;
  const auto dot = secret.rfind('.');
  if (dot == secret.npos || dot == 0 || dot + 1 == secret.size()) {
    return usage_error("\"" + secret + "\" names no secret of a resource",
                       "Write the resource and its member, as in docs.token.");
  }
  return Json{{"project", options.project},
              {"resource", secret.substr(0, dot)},
              {"member", secret.substr(dot + 1)}};
}

/// Standard input without its final line end.
Result<std::string> read_secret(Context& context) {
  if (::isatty(STDIN_FILENO) != 0) {
    context.terminal.note(
        "Write the secret, then Enter and Ctrl-D. It is shown as you write; a pipe shows "
        "nothing.");
  }
  auto text = read_standard_input(context.signals, kLongest);
  if (!text) return text;
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->empty() || text->size() > kLongest) {
    return usage_error("a secret has 1 to " + std::to_string(kLongest) + " bytes",
                       "Give it on standard input, or --env, --file or --command.");
  }
  return text;
}

Status add_what(const SecretOptions& given, Context& context, Json& params) {
  if (!given.env.empty()) {
    params["env"] = given.env;
  } else if (!given.file.empty()) {
    const auto file = absolute_path(given.file);
    if (!file) return file.error();
    params["file"] = file->string();
  } else if (!given.command.empty()) {
    params["command"] = given.command;
  } else {
    auto secret = read_secret(context);
    if (!secret) return std::move(secret).error();
    params["value"] = std::move(*secret);
  }
  return {};
}

Result<ExitCode> run_projects_secret_set(const SecretOptions& options, Context& context) {
  auto params = place_of(options);
  if (!params) return std::move(params).error();
  if (Status added = add_what(options, context, *params); !added) return std::move(added).error();
  const auto set = call_store(context, "projects.secrets.set", *params);
  if (!set) return set.error();
  if (context.common.json) return ExitCode::kOk;
  context.terminal.out("set " + options.secret + " (" + (*set)["from"].get<std::string>() + ")\n");
  context.terminal.note("It is for this source alone: " + to_text((*set)["resource"]));
  return ExitCode::kOk;
}

Result<ExitCode> run_projects_secret_list(const std::string& project, Context& context) {
  const auto listed = call_store(context, "projects.secrets.list", {{"project", project}});
  if (!listed) return listed.error();
  if (context.common.json) return ExitCode::kOk;
  std::vector<std::vector<std::string>> rows;
  for (const Json& secret : (*listed)["secrets"]) {
    rows.push_back(
        {secret["resource"].get<std::string>() + "." + secret["member"].get<std::string>(),
         secret["from"], secret["inUse"] == true ? "in use" : "for another source",
         secret["created"].get<std::string>().substr(0, 10)});
  }
  if (rows.empty()) {
    context.terminal.note("The project has no secret. Set one: quarry projects secret set " +
                          project + " RESOURCE.MEMBER");
    return ExitCode::kOk;
  }
  rows.insert(rows.begin(), {"secret", "from", "state", "set"});
  context.terminal.out(text_table(rows, {false, false, false, false}));
  return ExitCode::kOk;
}

Result<ExitCode> run_projects_secret_remove(const SecretOptions& options, Context& context) {
  auto params = place_of(options);
  if (!params) return std::move(params).error();
  const auto removed = call_store(context, "projects.secrets.remove", *params);
  if (!removed) return removed.error();
  if (!context.common.json) {
    context.terminal.out("removed " + options.secret + "\n");
  }
  return ExitCode::kOk;
}

Option project_argument(std::string& target) {
  return {"project", "", "The project", &target, {.required = true}};
}

Option secret_argument(std::string& target) {
  return {
      "secret", "", "As in docs.token: the resource and its member", &target, {.required = true}};
}

}  // namespace

Verb projects_secret_verb(CommonOptions&) {
  return {"projects secret", "Manage the secrets of a project's resources", {}};
}

Verb projects_secret_set_verb(CommonOptions& common) {
  const auto options = std::make_shared<SecretOptions>();
  return {"projects secret set",
          "Set a secret of a resource, from standard input or by reference",
          {project_argument(options->project),
           json_option(common),
           secret_argument(options->secret),
           {"--env", "", "Read it from this environment variable of the server", &options->env},
           {"--file",
            "",
            "Read it from this file of the server",
            &options->file,
            {.excludes = {"--env"}}},
           {"--command",
            "PROGRAM [ARGUMENT...]",
            "Read it from the output of this program",
            &options->command,
            {.excludes = {"--env", "--file"}}}},
          [options](Context& context) { return run_projects_secret_set(*options, context); }};
}

Verb projects_secret_remove_verb(CommonOptions& common) {
  const auto options = std::make_shared<SecretOptions>();
  return {
      "projects secret remove",
      "Remove a secret of a resource",
      {project_argument(options->project), json_option(common), secret_argument(options->secret)},
      [options](Context& context) { return run_projects_secret_remove(*options, context); }};
}

Verb projects_secret_list_verb(CommonOptions& common) {
  const auto project = std::make_shared<std::string>();
  return {"projects secret list",
          "List the secrets of a project, without values",
          {project_argument(*project), json_option(common)},
          [project](Context& context) { return run_projects_secret_list(*project, context); }};
}

}  // namespace quarry::cli
