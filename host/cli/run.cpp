#include "cli/connection.h"
#include "cli/verbs.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

struct Verb {
  std::string_view name;
  Result<ExitCode> (*run)(Context&);
};

constexpr Verb kVerbs[] = {
    {"ask", run_ask},
    {"serve", run_serve},
    {"add", run_add},
    {"remove", run_remove},
    {"resources", run_resources},
    {"clear", run_clear},
    {"sync", run_sync},
    {"lock", run_lock},
    {"models", run_models},
    {"models use", run_models_use},
    {"usage", run_usage},
    {"threads", run_threads_list},
    {"threads list", run_threads_list},
    {"threads show", run_threads_show},
    {"threads remove", run_threads_remove},
    {"projects create", run_projects_create},
    {"projects list", run_projects_list},
    {"projects remove", run_projects_remove},
    {"projects secret set", run_projects_secret_set},
    {"projects secret list", run_projects_secret_list},
    {"projects secret remove", run_projects_secret_remove},
    {"tokens create", run_tokens_create},
    {"tokens list", run_tokens_list},
    {"tokens revoke", run_tokens_revoke},
    {"mcp", run_mcp},
    {"mcp setup", run_mcp_setup},
    {"trust", run_trust},
    {"plugins list", run_plugins_list},
    {"plugins probe", run_plugins_probe},
    {"config check", run_config_check},
    {"config show", run_config_show},
    {"config path", run_config_path},
    {"completion", run_completion},
    {"version", run_version},
};

Result<ExitCode> dispatch(Context& context) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == context.arguments.verb) return verb.run(context);
  }
  return Error{Code::kInternal, "no verb \"" + context.arguments.verb + "\""};
}

Result<std::unique_ptr<Connection>> with_warnings(Context& context,
                                                  Result<std::unique_ptr<Connection>> connection) {
  if (!connection || context.arguments.quiet) return connection;
  for (const std::string& problem : (*connection)->problems()) {
    context.terminal.note("warning: " + problem);
  }
  return connection;
}

Result<Json> call_on(Context& context, Result<std::unique_ptr<Connection>> connection,
                     const std::string& method, const Json& params) {
  if (!connection) return std::move(connection).error();
  const auto answer = (*connection)->call(method, to_text(params));
  if (!answer) return answer.error();
  if (context.arguments.json) context.terminal.out_json(*answer);
  return parse_json(*answer);
}

}  // namespace

Result<std::unique_ptr<Connection>> connect(Context& context) {
  return with_warnings(context, connect(context.arguments));
}

Result<std::unique_ptr<Connection>> connect_to_store(Context& context) {
  return with_warnings(context, connect_to_store(context.arguments));
}

Result<Json> call_engine(Context& context, const std::string& method, const Json& params) {
  return call_on(context, connect(context), method, params);
}

Result<Json> call_store(Context& context, const std::string& method, const Json& params) {
  return call_on(context, connect_to_store(context), method, params);
}

Result<ExitCode> run_completion(Context& context) {
  context.terminal.out(completion_script(context.arguments.shell));
  return ExitCode::kOk;
}

Result<ExitCode> run_version(Context& context) {
  context.terminal.out("quarry " QUARRY_VERSION "\n");
  return ExitCode::kOk;
}

int run(int argc, const char* const* argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const Usage* usage = std::get_if<Usage>(&parsed)) {
    std::fputs(usage->text.c_str(), usage->exit_code == 0 ? stdout : stderr);
    return usage->exit_code;
  }
  Terminal terminal;
  Signals signals;
  Context context{std::get<Arguments>(parsed), terminal, signals};
  const auto result = dispatch(context);
  if (result) return static_cast<int>(*result);
  terminal.error(result.error());
  return static_cast<int>(exit_code_of(result.error()));
}

}  // namespace quarry::cli
