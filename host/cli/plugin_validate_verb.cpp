#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "plugins/probe.h"
#include "plugins/validation.h"
#include "runner/runner.h"
#include "runner/sandbox.h"

#include <memory>

namespace quarry::cli {
namespace {

struct ProbeOptions {
  std::string file;
  bool sandbox = false;
};

Result<ExitCode> run_plugins_validate(const std::string& path, Context& context) {
  const auto validation = plugins::validate(path, [](const plugins::Manifest& manifest) {
    return load_apart(manifest, is_isolated(manifest, config::Plugins()));
  });
  if (context.common.json) {
    context.terminal.out_json(validation.json());
  } else {
    context.terminal.out(validation.text());
  }
  return validation.passed() ? ExitCode::kOk : ExitCode::kFailure;
}

Result<ExitCode> run_plugins_probe(const ProbeOptions& options) {
  if (options.sandbox) {
    runner::enter_sandbox({.readable = {std::filesystem::absolute(options.file).parent_path()},
                           .writable = {},
                           .memory = runner::RunnerOptions().memory});
  }
  return plugins::run_probe(options.file) == 0 ? ExitCode::kOk : ExitCode::kFailure;
}

}  // namespace

Verb plugins_validate_verb(CommonOptions& common) {
  const auto path = std::make_shared<std::string>();
  return {"plugins validate",
          "Check a plugin as a host does before it uses it; loads it in another process",
          with_json(common, {{"plugin",
                              "PLUGIN.TOML|FOLDER",
                              "Its manifest, or the folder of it",
                              path.get(),
                              {.required = true}}}),
          [path](Context& context) { return run_plugins_validate(*path, context); }};
}

Verb plugins_probe_verb(CommonOptions&) {
  const auto options = std::make_shared<ProbeOptions>();
  return {"plugins probe",
          "Load one plugin in this process and report",
          {{"manifest", "", "Its manifest", &options->file, {.required = true}},
           {"--sandbox", "", "Enter the sandbox of isolated plugins first", &options->sandbox}},
          [options](Context&) { return run_plugins_probe(*options); }};
}

}  // namespace quarry::cli
