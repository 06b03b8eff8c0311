#include "cli/author_verbs.h"

#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/verbs.h"
#include "plugins/manifest.h"
#include "plugins/validation.h"

#include <cerrno>
#include <memory>
#include <unistd.h>
#include <utility>

namespace quarry::cli {
namespace {

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

std::vector<std::string> validate_words(const ValidateOptions& options, bool json) {
  std::vector<std::string> words;
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

/// Becomes a program of the SDK, which lies beside this one; returns if that is not there.
Error become(const char* program, std::vector<std::string> words, const Context& context) {
  words.insert(words.begin(), (program_path().parent_path() / program).string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  context.signals.restore();
  ::execv(arguments[0], arguments.data());
  Error failed = system_error(words[0], errno);
  failed.hint = "It comes with the SDK: libquarry-dev of Debian, or \"cmake --install\".";
  return failed;
}

/// Becomes the program that has the verb, with the same words.
template <class Options>
Result<ExitCode> run_beside(const Options& /*options*/, Context& context) {
  return become("quarry-author", {context.words.begin(), context.words.end()}, context);
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
      [command](Context& context) -> Result<ExitCode> {
        return become("quarry-validate", validate_words(*command, context.common.json), context);
      },
      "Runs the plugin's code with your rights and without a network. An outcome is pass, fail,\n"
      "crash, timeout, warn or skip; docs/plugins.md lists the checks."};
}

Verb plugins_new_verb(CommonOptions& /*common*/, RunWith<PluginNewOptions> run) {
  const auto options = std::make_shared<PluginNewOptions>();
  return {"plugins new",
          "Write a new plugin that builds, with its tests",
          {{"kind", "", "Such as resource or model", &options->kind, {.required = true}},
           {"name", "", "Of its component, such as my-wiki", &options->name, {.required = true}},
           {"--language", "", "Of its source, such as c or rust; default: c++", &options->language},
           {"--id", "", "Of the plugin; default: org.example.NAME", &options->id},
           {"--folder", "", "The new folder; default: NAME", &options->folder}},
          [options, run = std::move(run)](Context& context) { return run(*options, context); }};
}

Verb plugins_run_verb(CommonOptions& common, RunWith<PluginRunOptions> run) {
  const auto options = std::make_shared<PluginRunOptions>();
  return {
      "plugins run", "Call one function of a plugin that is not installed, and print its outcome",
      with_json(
          common,
          {{"plugin",
            "PLUGIN.TOML|FOLDER",
            "Its manifest, or the folder of it",
            &options->plugin,
            {.required = true}},
           {"function",
            "",
            "describe, parse_reference, normalise, resolve, fetch, models, generate, encode, "
            "score, "
            "refresh, rates",
            &options->function,
            {.required = true}},
           {"arguments", "", "A resource (JSON, a configured name or a reference), or texts",
            &options->arguments},
           {"--component", "NAME", "The component, if several have the function",
            &options->component},
           {"--configuration", "FILE",
            "Its table as a JSON object, in place of that of the configuration",
            &options->configuration},
           {"--to", "FOLDER", "Write the files of a fetch here", &options->to},
           {"--model", "NAME", "The model to generate, encode or score with", &options->model}}),
      [options, run = std::move(run)](Context& context) { return run(*options, context); }};
}

Verb plugins_index_verb(CommonOptions& /*common*/, RunWith<PluginIndexOptions> run) {
  const auto options = std::make_shared<PluginIndexOptions>();
  return {"plugins index",
          "Print the index of a folder of archives of plugins, to be served over HTTPS",
          {{"folder",
            "",
            "The folder of the archives (.tar.zst, .tar.gz)",
            &options->folder,
            {.required = true}},
           {"--base-url", "URL", "URL of the folder; without it, the archives lie beside the index",
            &options->base_url}},
          [options, run = std::move(run)](Context& context) { return run(*options, context); }};
}

Verb plugins_new_verb(CommonOptions& common) {
  return plugins_new_verb(common, run_beside<PluginNewOptions>);
}

Verb plugins_run_verb(CommonOptions& common) {
  return plugins_run_verb(common, run_beside<PluginRunOptions>);
}

Verb plugins_index_verb(CommonOptions& common) {
  return plugins_index_verb(common, run_beside<PluginIndexOptions>);
}

}  // namespace quarry::cli
