#include "cli/connection.h"
#include "cli/verbs.h"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

std::string line_of(const Json& change) {
  const std::string plugin = change.value("id", "") + ' ' + change.value("version", "");
  if (const auto before = change.value("before", ""); !before.empty()) {
    return plugin + ": " + change.value("change", "") + ", was " + before;
  }
  return plugin + ": " + change.value("change", "");
}

Result<ExitCode> run_plugins_reload(Context& context) {
  const auto reloaded = call_engine(context, "plugins.reload", Json::object());
  if (!reloaded) return reloaded.error();
  if (context.common.json) return ExitCode::kOk;
  for (const Json& change : (*reloaded)["plugins"]) context.terminal.out_line(line_of(change));
  if ((*reloaded)["plugins"].empty()) context.terminal.out_line("no plugin has changed");
  for (const Json& problem : (*reloaded)["problems"]) {
    context.terminal.note("warning: " + problem.get<std::string>());
  }
  return ExitCode::kOk;
}

}  // namespace

Verb plugins_reload_verb(CommonOptions& common) {
  return {
      "plugins reload", "Let a running server load new and changed plugins",
      with_json(common, {{"-s,--server", "URL", "The server", &common.server, {.required = true}}}),
      [](Context& context) { return run_plugins_reload(context); }};
}

}  // namespace quarry::cli
