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

/// What every verb works with.
struct Context {
  const Arguments& arguments;
  Terminal& terminal;
  Signals& signals;
};

class Connection;

/// The value of an engine's method; printed already when JSON is wanted.
Result<Json> value_of(Context& context, Result<std::unique_ptr<Connection>> connection,
                      const std::string& method, const Json& params);

/// Each verb prints its own output; an error is printed, once, by the caller.
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
