#include "base/working_directory.h"
#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "conformance/command.h"
#include "plugins/probe.h"
#include "runner/runner.h"
#include "runner/sandbox.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace quarry::cli {
namespace {

struct ProbeOptions {
  std::vector<std::string> files;
  bool sandbox = false;
  bool open = false;
  bool use = false;
};

Result<ExitCode> run_plugins_validate(const conformance::Command& command, Context& context) {
  const auto report = conformance::run(command, [](const plugins::Manifest& manifest) {
    return load_apart(manifest, is_isolated(manifest, config::Plugins()), "{}");
  });
  if (!report) return report.error();
  if (context.common.json) {
    context.terminal.out_json(report->json());
  } else {
    context.terminal.out(report->text());
  }
  return report->passed() ? ExitCode::kOk : ExitCode::kFailure;
}

Result<ExitCode> run_plugins_probe(const ProbeOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& file : options.sandbox ? options.files : std::vector<std::string>()) {
    const auto path = absolute_path(file);
    if (!path) return path.error();
    folders.push_back(path->parent_path());
  }
  const auto enter = [&] {
    runner::enter_sandbox(
        {.readable = folders, .writable = {}, .memory = runner::RunnerOptions().memory});
  };
  const auto probed = options.use    ? plugins::Probed::kUse
                      : options.open ? plugins::Probed::kOpen
                                     : plugins::Probed::kNothing;
  const int status =
      plugins::run_probe({options.files.begin(), options.files.end()}, probed, QUARRY_VERSION,
                         options.sandbox ? std::function<void()>(enter) : nullptr);
  return status == 0 ? ExitCode::kOk : ExitCode::kFailure;
}

std::vector<Option> validate_options(conformance::Command& command) {
  return {
      {"plugin",
       "PLUGIN.TOML|FOLDER",
       "Its manifest, or the folder of it",
       &command.plugin,
       {.required = true}},
      {"--check",
       "NAME",
       "Run this check, and those that it assumes; may be repeated",
       &command.checks,
       {.one_each = true}},
      {"--resource", "JSON", "A resource to try, as in {\"url\": \"…\"}", &command.resource},
      {"--configuration", "FILE", "JSON file: configurations by name of component",
       &command.configuration},
      {"--seed", "N", "Of cuts and malformed values; default 1", &command.seed},
      {"--limit", "MS", "Time limit of each check; default 10000", &command.limit},
      {"--memory", "MIB", "Memory that the plugin may take; default 512", &command.memory},
      {"--junit", "FILE", "Write the outcomes in the XML format of JUnit", &command.junit},
  };
}

}  // namespace

Verb plugins_validate_verb(CommonOptions& common) {
  const auto command = std::make_shared<conformance::Command>();
  return {
      "plugins validate", "Check a plugin over its whole life; runs its code in other processes",
      with_json(common, validate_options(*command)),
      [command](Context& context) { return run_plugins_validate(*command, context); },
      "Runs the plugin's code with your rights and without a network. An outcome is pass, fail,\n"
      "crash, timeout, warn or skip; docs/plugins.md lists the checks."};
}

Verb plugins_probe_verb(CommonOptions&) {
  const auto options = std::make_shared<ProbeOptions>();
  return {"plugins probe",
          "Load plugins in this process and report",
          {{"manifest", "", "Their manifests", &options->files, {.required = true}},
           {"--sandbox", "", "Enter the sandbox of isolated plugins first", &options->sandbox},
           {plugins::kProbeOpen, "", "Call their functions open too", &options->open},
           {plugins::kProbeUse, "", "Call all functions of a start, with tables of standard input",
            &options->use}},
          [options](Context&) { return run_plugins_probe(*options); }};
}

}  // namespace quarry::cli
