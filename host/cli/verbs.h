#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/signals.h"
#include "cli/terminal.h"

#include <memory>
#include <string>

namespace quarry::cli {

/// Context of every verb.
struct Context {
  const Arguments& arguments;
  Terminal& terminal;
  Signals& signals;
};

class Connection;

/// Connects to an engine in this process, or to the server named by the arguments. Prints its
/// problems as warnings unless quiet.
Result<std::unique_ptr<Connection>> connect(Context& context);

/// The same with the store of projects and tokens, always in this process.
Result<std::unique_ptr<Connection>> connect_to_store(Context& context);

/// Connects and calls one method. The result is already printed if JSON is requested.
Result<Json> call_engine(Context& context, const std::string& method, const Json& params);

/// The same with connect_to_store().
Result<Json> call_store(Context& context, const std::string& method, const Json& params);

/// Each verb prints its own output; the caller prints an error, once.
Result<ExitCode> run_ask(Context& context);
Result<ExitCode> run_serve(Context& context);
Result<ExitCode> run_add(Context& context);
Result<ExitCode> run_remove(Context& context);
Result<ExitCode> run_resources(Context& context);
Result<ExitCode> run_clear(Context& context);
Result<ExitCode> run_sync(Context& context);
Result<ExitCode> run_lock(Context& context);
Result<ExitCode> run_models(Context& context);
Result<ExitCode> run_models_use(Context& context);
Result<ExitCode> run_usage(Context& context);
Result<ExitCode> run_threads_list(Context& context);
Result<ExitCode> run_threads_show(Context& context);
Result<ExitCode> run_threads_remove(Context& context);
Result<ExitCode> run_projects_create(Context& context);
Result<ExitCode> run_projects_list(Context& context);
Result<ExitCode> run_projects_remove(Context& context);
Result<ExitCode> run_projects_secret_set(Context& context);
Result<ExitCode> run_projects_secret_list(Context& context);
Result<ExitCode> run_projects_secret_remove(Context& context);
Result<ExitCode> run_tokens_create(Context& context);
Result<ExitCode> run_tokens_list(Context& context);
Result<ExitCode> run_tokens_revoke(Context& context);
Result<ExitCode> run_mcp(Context& context);
Result<ExitCode> run_mcp_setup(Context& context);
Result<ExitCode> run_trust(Context& context);
Result<ExitCode> run_plugins_list(Context& context);
Result<ExitCode> run_plugins_probe(Context& context);
Result<ExitCode> run_config_check(Context& context);
Result<ExitCode> run_config_show(Context& context);
Result<ExitCode> run_config_path(Context& context);
Result<ExitCode> run_completion(Context& context);
Result<ExitCode> run_version(Context& context);

/// The whole program: parses, dispatches, reports.
int run(int argc, const char* const* argv);

}  // namespace quarry::cli
