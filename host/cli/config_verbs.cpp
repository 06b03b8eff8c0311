#include "cli/component_schemas.h"
#include "cli/config_check.h"
#include "cli/config_explain.h"
#include "cli/config_keys.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "config/inspect.h"

#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

void note_warnings(Context& context, const config::Config& config) {
  for (const std::string& warning : config.warnings) context.terminal.note("warning: " + warning);
}

/// The configuration for an inspecting verb; warns about files that are not read.
Result<config::Config> load_and_warn(Context& context) {
  auto config = config::load(config_sources(context.common));
  if (config) note_warnings(context, *config);
  return config;
}

void print(Terminal& terminal, const CheckReport& report,
           const std::vector<std::filesystem::path>& files) {
  if (const auto error = as_error(report)) terminal.error(*error);
  for (const config::UnreadFile& file : report.unread) terminal.error(file.error);
  for (const Error& problem : report.problems) terminal.error(problem);
  if (!report.passed()) return;
  for (const auto& file : files) terminal.out_line(file.string() + ": right");
  if (files.empty()) terminal.out("no configuration file; the defaults apply\n");
}

Result<ExitCode> run_config_check(Context& context) {
  config::Inspection read = config::inspect(config_sources(context.common));
  note_warnings(context, read.config);
  const auto files = read.config.files;
  const CheckReport report = check_everything(context.common, std::move(read));
  if (context.common.json) {
    Json out = to_json(report);
    out["files"] = Json::array();
    for (const auto& file : files) out["files"].push_back(file.string());
    context.terminal.out_json(to_text(out));
  } else {
    print(context.terminal, report, files);
  }
  return report.passed() ? ExitCode::kOk : ExitCode::kNotConfigured;
}

/// `name`: a key; empty for all.
Result<ExitCode> run_config_explain(const std::string& name, Context& context) {
  const config::Inspection read = config::inspect(config_sources(context.common));
  note_warnings(context, read.config);
  if (!read.mistakes.empty() || !read.unread.empty()) {
    context.terminal.note(
        "warning: the configuration has mistakes, \"quarry config check\" reports them");
  }
  const std::vector<ConfigKey> all = list_keys(find_plugins(read.config));
  const auto keys = name.empty() ? Result<std::vector<ConfigKey>>(all) : find_key(all, name, read);
  if (!keys) return keys.error();
  if (context.common.json) {
    Json list = Json::array();
    for (const ConfigKey& key : *keys) list.push_back(explanation(key, read));
    context.terminal.out_json(to_text({{"keys", std::move(list)}}));
  } else {
    context.terminal.out(name.empty() ? key_table(*keys, read) : explanation_text(*keys, read));
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_config_show(Context& context) {
  if (const auto config = load_and_warn(context); !config) return config.error();
  const auto shown = config::show(config_sources(context.common));
  if (!shown) return shown.error();
  context.terminal.out(*shown);
  return ExitCode::kOk;
}

/// Sets a value in the file that edits go to, once a start with it would not be refused.
Result<ExitCode> run_config_set(const std::string& key, const std::string& value,
                                Context& context) {
  if (key.starts_with("resource.")) {
    return usage_error("\"" + key + "\" is of a resource",
                       "Remove and add it: quarry remove, quarry add.");
  }
  CommonOptions with_value = context.common;
  with_value.settings.emplace_back(key, value);
  const auto report = check_everything(with_value, config::inspect(config_sources(with_value)));
  if (auto mistakes = as_error(report)) return std::move(*mistakes);
  const config::Sources sources = config_sources(context.common);
  const auto config = config::load(sources);
  if (!config) return config.error();
  const Status set =
      config::set_value(sources, config->writable_file, key, config::parse_value(value));
  if (!set) return set.error();
  context.terminal.out_line("set " + key + " in " + config->writable_file.string());
  return ExitCode::kOk;
}

Result<ExitCode> run_config_path(Context& context) {
  const auto config = load_and_warn(context);
  if (!config) return config.error();
  context.terminal.out_line(config->writable_file.string());
  for (auto file = config->files.rbegin(); file != config->files.rend(); ++file) {
    if (*file != config->writable_file) context.terminal.out_line(file->string());
  }
  return ExitCode::kOk;
}

}  // namespace

Verb config_verb(CommonOptions&) {
  return {"config", "Inspect the configuration", {}};
}

Verb config_check_verb(CommonOptions& common) {
  return {"config check", "Report every mistake of every file, and what plugins would refuse",
          with_json(common), run_config_check};
}

Verb config_show_verb(CommonOptions&) {
  return {"config show", "Print the effective configuration, without secrets", {}, run_config_show};
}

Verb config_path_verb(CommonOptions&) {
  return {
      "config path", "Print the files that are read, the writable one first", {}, run_config_path};
}

Verb config_set_verb(CommonOptions&) {
  const auto key = std::make_shared<std::string>();
  const auto value = std::make_shared<std::string>();
  return {"config set",
          "Set a value in the file that edits go to, if it is right",
          {{"key", "KEY", "As in transport.rest.listen", key.get(), {.required = true}},
           {"value", "VALUE", "Text, or a value of TOML", value.get(), {.required = true}}},
          [key, value](Context& context) { return run_config_set(*key, *value, context); }};
}

Verb config_explain_verb(CommonOptions& common) {
  const auto key = std::make_shared<std::string>();
  return {"config explain", "Print type, default, meaning and present value of a key",
          with_json(common, {{"key", "", "As in model.max_steps; default: a table of all keys",
                              key.get()}}),
          [key](Context& context) { return run_config_explain(*key, context); }};
}

}  // namespace quarry::cli
