#include "base/working_directory.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "plugins/manifest.h"
#include "plugins/probe.h"
#include "plugins/validation.h"
#include "runner/runner.h"
#include "runner/sandbox.h"

#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace quarry::cli {
namespace {

constexpr const char* kValidateProgram = "quarry-validate";

struct ProbeOptions {
  std::vector<std::string> files;
  bool sandbox = false;
  bool open = false;
  bool use = false;
};

/// The options as the user wrote them; empty = the default of quarry-validate, which reads them.
struct ValidateOptions {
  std::string plugin;
  std::vector<std::string> checks;
  std::string resource;
  std::string configuration;
  std::string seed;
  std::string limit;
  std::string memory;
  std::string junit;
};

/// The words of the command that checks the plugin.
std::vector<std::string> command_of(const ValidateOptions& options, bool json) {
  std::vector<std::string> words{(program_path().parent_path() / kValidateProgram).string()};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (json) words.emplace_back("--json");
  for (const std::string& check : options.checks) add("--check", check);
  add("--resource", options.resource);
  add("--configuration", options.configuration);
  add("--seed", options.seed);
  add("--limit", options.limit);
  add("--memory", options.memory);
  add("--junit", options.junit);
  const auto manifest = plugins::read_manifest(plugins::manifest_path(options.plugin));
  if (manifest) {  // otherwise its first check fails
    const bool isolated = is_isolated(*manifest, config::Plugins());
    for (const std::string& word : probe_command(*manifest, isolated)) add("--load-by", word);
  }
  words.insert(words.end(), {"--", options.plugin});
  return words;
}

/// Becomes the program of the SDK; returns if that is not there.
Result<ExitCode> run_plugins_validate(const ValidateOptions& options, Context& context) {
  std::vector<std::string> words = command_of(options, context.common.json);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  context.signals.restore();
  ::execv(arguments[0], arguments.data());
  Error failed = system_error(words[0], errno);
  failed.hint = "It comes with the SDK: libquarry-dev of Debian, or \"cmake --install\".";
  return failed;
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

std::vector<Option> validate_options(ValidateOptions& command) {
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
  const auto command = std::make_shared<ValidateOptions>();
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
