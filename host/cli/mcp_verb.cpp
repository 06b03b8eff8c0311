#include "cli/connection.h"
#include "cli/verbs.h"

namespace quarry::cli {

Result<ExitCode> run_mcp(Context& context) {
  Arguments arguments = context.arguments;
  arguments.settings.emplace_back("transport.stdio.enabled", "true");
  arguments.settings.emplace_back("store.provider", "none");
  const Wake ended;
  auto started = start_engine(arguments, {.on_end = [&] { ended.notify(); }});
  if (!started) return std::move(started).error();
  engine::Engine& engine = **started;
  for (const std::string& problem : engine.problems()) context.terminal.note("warning: " + problem);
  const auto listening = engine.start_transports({"stdio"});
  if (!listening) return listening.error();
  context.signals.wait(ended.fd());
  engine.shutdown();
  return ExitCode::kOk;
}

}  // namespace quarry::cli
