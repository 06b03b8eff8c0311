#include "cli/connection.h"
#include "cli/verbs.h"

#include <csignal>
#include <memory>

#include <sys/resource.h>

namespace quarry::cli {
namespace {

/// A stream uses two descriptors; the usual limit of 1,024 exists for programs that use select.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<ExitCode> run_serve(Context& context, bool locked) {
  raise_descriptor_limit();
  auto started = start_engine(context.terminal, context.common, {.locked = locked, .watch = true});
  if (!started) return std::move(started).error();
  engine::Engine& engine = **started;
  const auto listening = engine.start_transports();
  if (!listening) return listening.error();
  if (listening->empty()) {
    return Error{Code::kInvalidArgument, "no transport is enabled",
                 "Enable one in the configuration, as in [transport.rest] enabled = true."}
        .tagged("ConfigError");
  }
  for (const std::string& address : *listening) {
    context.terminal.out_line("Quarry listens on " + address);
  }
  while (context.signals.wait(-1) == SIGHUP) {
    const auto reloaded = engine.call_and_wait("config.reload", "{}");
    if (!reloaded) context.terminal.error(reloaded.error());
  }
  engine.shutdown();
  return ExitCode::kOk;
}

}  // namespace

Verb serve_verb(CommonOptions& common) {
  const auto locked = std::make_shared<bool>(false);
  return {"serve",
          "Serve every enabled transport until stopped",
          {{"-l,--listen", "ADDRESS:PORT", "Address of the REST transport",
            SettingTarget{&common.settings, "transport.rest.listen"}},
           {"--locked", "", kLockedHelp, locked.get()}},
          [locked](Context& context) { return run_serve(context, *locked); }};
}

}  // namespace quarry::cli
